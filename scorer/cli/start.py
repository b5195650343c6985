"""The command's way in: Ctrl-C has its answer before what takes long is imported."""

import gc
import os
import signal
import sys

GARBAGE = 1_000_000  # objects more than before until a search for cycles; imports make 200,000
LEAST = 192 << 20  # bytes of addresses that the imports take


def main() -> None:
    """Run the command of this process and exit with its code."""
    if sys.argv[1:] == ["--version"] and _said_version():
        return
    signal.signal(signal.SIGINT, _interrupted)
    gc.set_threshold(GARBAGE)
    _refuse_little_memory()
    from scorer.cli.main import main as run

    run()


def _said_version() -> bool:
    """Say the version; what it cannot be written to is told by the usual way."""
    from scorer.core.version import __version__

    try:
        os.write(1, f"scorer {__version__}\n".encode())
    except OSError:
        return False
    return True


def _refuse_little_memory() -> None:
    """End where numpy could not be imported: its BLAS would end the process with another code."""
    try:
        import resource
    except ImportError:  # where a process has no such limits
        return
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    if most != resource.RLIM_INFINITY and most < LEAST:
        os.write(2, f"error: there is not enough memory; {LEAST >> 20} MiB are needed\n".encode())
        sys.exit(4)


def _interrupted(*_: object) -> None:
    """End at once; nothing that would have to be undone has been done yet."""
    os.write(2, b"interrupted\n")
    os._exit(130)
