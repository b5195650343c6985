"""What stands in for registries: a base image of this machine's files, and wheels beside it."""

import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pip

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text()
PATH = "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
PYTHON = Path(sys._base_executable).resolve()
LIBRARY = Path(sysconfig.get_path("stdlib"))
PROGRAMS = ["sh", "grep", "sed", "rm", "mkdir", "chown", "useradd"]
LEFT_OUT = ["site-packages", "__pycache__", "test", "tests", "idlelib", "*tkinter*", "config-*"]
# what wheels may link to, beside libraries that they bring
LINKED = ["libstdc++.so.6", "libgcc_s.so.1", "libdl.so.2", "librt.so.1", "libpthread.so.0"]
TEXTS = {
    "etc/passwd": "root:x:0:0::/root:/bin/sh\n",
    "etc/group": "root:x:0:\n",
    "etc/ld.so.conf": "/usr/local/lib\n",
    "etc/pip.conf": "[global]\nno-index = true\nfind-links = /wheels\n",
    "usr/local/bin/pip": '#!/bin/sh\nexec python3 -m pip "$@"\n',
}


def ran(*words, **more):
    words = list(map(str, words))
    return subprocess.run(words, capture_output=True, text=True, timeout=600, **more)


def done(*words, **more):
    ended = ran(*words, **more)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout.strip()


def base(root):
    """A folder with the Python that runs this, pip, and what a Dockerfile's steps call.

    Its wheels, in /wheels, are of the versions of constraints.txt.
    """
    for name in ("bin", "sbin", "lib", "lib64", "local/bin", "local/lib", "share"):
        (root / "usr" / name).mkdir(parents=True)
    for name in ("bin", "sbin", "lib", "lib64"):
        (root / name).symlink_to(f"usr/{name}")
    for name in ("etc", "tmp", "root", "proc", "dev"):
        (root / name).mkdir()
    shutil.copytree("/usr/share/zoneinfo", root / "usr/share/zoneinfo", symlinks=True)
    _programs(root)
    _python(root / "usr/local")
    for name, text in TEXTS.items():
        (root / name).write_text(text)
    (root / "usr/local/bin/pip").chmod(0o755)
    done("/sbin/ldconfig", "-r", root)
    _wheels(root / "wheels", re.search(r"'\.(\[.*?\])'", DOCKERFILE)[1])


def _programs(root):
    """The programs, and the libraries of these and of Python."""
    programs = {name: Path(shutil.which(name)).resolve() for name in PROGRAMS}
    for name, path in programs.items():
        shutil.copy(path, root / "usr/bin" / name)
    for path in _libraries(PYTHON, *programs.values(), *LIBRARY.glob("lib-dynload/*.so")):
        loader = path.name.startswith("ld-")  # which programs name by its place
        shutil.copy(path, root / (path.relative_to("/") if loader else "usr/local/lib"))


def _python(own):
    shutil.copy(PYTHON, own / "bin/python3")
    (own / "bin/python").symlink_to("python3")
    inside = own / "lib" / LIBRARY.name
    shutil.copytree(LIBRARY, inside, ignore=shutil.ignore_patterns(*LEFT_OUT))
    shutil.copytree(Path(pip.__file__).parent, inside / "site-packages/pip")


def _libraries(*files):
    """The shared libraries of programs, and those of wheels."""
    told = done("ldd", *files)
    known = done("/sbin/ldconfig", "-p")
    places = [re.search(rf"{re.escape(name)} .*=> (\S+)", known) for name in LINKED]
    return {Path(place) for place in re.findall(r"(/\S+) \(0x", told)} | {
        Path(place[1]) for place in places if place
    }


def _wheels(folder, extras):
    """What `pip install .` asks an index for, as `make installed` did."""
    folder.mkdir()
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    versions = [line.rstrip(" \\") for line in lines if re.match("[a-z0-9]", line)]
    (folder / "versions.txt").write_text("\n".join(versions))
    words = ["download", "-q", "--no-build-isolation", "-c", folder / "versions.txt", "-d", folder]
    done(sys.executable, "-m", "pip", *words, f"{ROOT}{extras}", "hatchling")
