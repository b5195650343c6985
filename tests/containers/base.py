"""A base image of this machine's files, which stands in for a registry and an index."""

import re
import shutil
import subprocess
import sys
import sysconfig
from importlib.metadata import distribution
from pathlib import Path

import pip
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text()
PATH = "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
PYTHON = Path(sys._base_executable).resolve()
LIBRARY = Path(sysconfig.get_path("stdlib"))
PROGRAMS = ["sh", "grep", "sed", "rm", "mkdir", "chown", "useradd"]
LEFT_OUT = ["site-packages", "test", "tests", "idlelib", "*tkinter*", "config-*"]
# what wheels may link to, beside libraries that they bring
LINKED = ["libstdc++.so.6", "libgcc_s.so.1", "libdl.so.2", "librt.so.1", "libpthread.so.0"]
TEXTS = {
    "etc/passwd": "root:x:0:0::/root:/bin/sh\n",
    "etc/group": "root:x:0:\n",
    "etc/ld.so.conf": "/usr/local/lib\n",
    "etc/pip.conf": "[global]\nno-index = true\nno-build-isolation = false\n",
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
    """A folder with the Python that runs this, its packages, and what a Dockerfile's steps call."""
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
    _packages(inside / "site-packages")


def _libraries(*files):
    """The shared libraries of programs, and those of wheels."""
    told = done("ldd", *files)
    known = done("/sbin/ldconfig", "-p")
    places = [re.search(rf"{re.escape(name)} .*=> (\S+)", known) for name in LINKED]
    return {Path(place) for place in re.findall(r"(/\S+) \(0x", told)} | {
        Path(place[1]) for place in places if place
    }


def _needed(*names):
    """The installed packages that these need, themselves too."""
    left, found, seen = [Requirement(name) for name in names], {}, set()
    while left:
        need = left.pop()
        if str(need) in seen:
            continue
        seen.add(str(need))
        found[need.name] = distribution(need.name)
        for inner in map(Requirement, found[need.name].requires or ()):
            extras = [{"extra": extra} for extra in need.extras or [""]]
            if inner.marker is None or any(map(inner.marker.evaluate, extras)):
                inner.marker = None
                left.append(inner)
    return found


def _packages(place):
    """What the Dockerfile's step asks an index for, and what builds a distribution."""
    (extras,) = re.findall(r"'\.(\[.*?\])'", DOCKERFILE)
    packages = _needed(f"challenge-scorer{extras}", "hatchling")
    packages.pop("challenge-scorer")
    for package in packages.values():
        for file in package.files:
            if ".." not in file.parts:
                (place / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file.locate(), place / file)
