"""Modules that stand in for parts of a platform that need its servers."""

import json
import sys
import threading
import types
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def module(name, **members):
    """Make an empty module that holds these members, and let it be imported by that name."""
    made = types.ModuleType(name)
    made.__dict__.update(members)
    sys.modules[name] = made
    parent, _, own = name.rpartition(".")
    if parent in sys.modules:
        setattr(sys.modules[parent], own, made)
    return made


def kind(**members):
    """A class that takes whatever it is called with."""
    return type("StandIn", (), {"__init__": lambda self, *words, **named: None, **members})


def package(name, folder):
    """A package whose modules are the files of a folder, without what its own __init__ imports."""
    module(name).__path__ = [str(folder)]


def told(**result):
    """What the test reads: the last line of standard output."""
    print()
    print(json.dumps(result, default=str))


def server(answer):
    """A server that gives `answer(method, path, body)`, bytes or None, and its address."""

    class Handler(BaseHTTPRequestHandler):
        def handle_any(self):
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            data = answer(self.command, self.path, body)
            self.send_response(404 if data is None else 200)
            self.send_header("Content-Length", str(len(data or b"")))
            self.end_headers()
            self.wfile.write(data or b"")

        do_GET = do_PUT = do_POST = do_PATCH = handle_any

        def log_message(self, *words):
            pass

    made = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=made.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{made.server_port}"
