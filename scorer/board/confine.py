"""What Linux takes from a child process for good: network, other processes, all other files.

Landlock (Linux 5.13) and seccomp, by their system calls: neither needs rights, a namespace or a
program beside Python. What a system lacks is left out, and `protections` says it.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path

import scorer

NO_NEW_PRIVILEGES, SET_SECCOMP, FILTER = 38, 22, 2  # of prctl
CREATE, ADD, RESTRICT = 444, 445, 446  # system calls of Landlock, the same on all machines
BENEATH = 1  # a rule on what lies below a path
READ = 1 << 0 | 1 << 2 | 1 << 3  # execute, read files, list folders
LIST = 1 << 3
OF_A_FILE = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14  # rights that a file can have
NETWORK = 0b11  # bind and connect of TCP, from the fourth version
SCOPES = 0b11  # abstract sockets and signals, from the sixth
# socket, ptrace, process_vm_readv, process_vm_writev, bpf, perf_event_open; then those of one
# number everywhere: io_uring_setup, pidfd_getfd
CALLS = {"x86_64": (41, 101, 310, 311, 321, 298), "aarch64": (198, 117, 270, 271, 280, 241)}
EVERYWHERE = (425, 438)
MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
OTHER_CALLS = 0x40000000  # x32's, on x86_64
ALLOWED, REFUSED = 0x7FFF0000, 0x00050000 | 13  # EACCES
SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/opt", "/etc/ld.so.cache", "/etc/localtime")
DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")
FACTS = ("/proc/self", "/proc/meminfo", "/proc/cpuinfo", "/sys/devices/system/cpu")


@cache
def _calls() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def landlock() -> int:
    """The version of Landlock that this system has; 0: none."""
    if sys.platform != "linux":
        return 0
    return max(int(_calls().syscall(CREATE, None, ctypes.c_size_t(0), 1)), 0)


def seccomp() -> bool:
    """Whether this system has filters of system calls, on a machine whose numbers are known."""
    return (
        sys.platform == "linux"
        and platform.machine() in CALLS
        and Path("/proc/sys/kernel/seccomp/actions_avail").exists()
    )


def fully_confined() -> bool:
    """Whether this system has all protections."""
    return landlock() > 0 and seccomp()


def protections() -> str:
    """A sentence on what a child process of this system cannot do."""
    parts = [
        ("no file but its own (Landlock)", "all files of this user (no Landlock)", landlock() > 0),
        ("no network (seccomp)", "the network (no seccomp)", seccomp()),
    ]
    held = " and ".join(words for words, _, has in parts if has)
    open_to = " and ".join(words for _, words, has in parts if not has)
    sentence = f"an evaluation has {held}" if held else "an evaluation is not confined"
    return f"{sentence}; it reaches {open_to}: use a container" if open_to else sentence


def confine(read: Iterable[str], write: Iterable[str]) -> None:
    """Take all but these files from this process, for good; `OSError` if the protection fails."""
    if landlock() or seccomp():
        _done(_calls().prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0))
    if version := landlock():
        _restrict(version, read, write)
    if seccomp():
        _filter(platform.machine())


def _restrict(version: int, read: Iterable[str], write: Iterable[str]) -> None:
    """Have Landlock refuse every file that no rule names."""
    rights = (1 << 13) - 1
    for since, right in ((2, 1 << 13), (3, 1 << 14), (5, 1 << 15)):
        rights |= right if version >= since else 0
    words = [rights, NETWORK, SCOPES][: 1 + (version >= 4) + (version >= 6)]
    attributes = struct.pack(f"={len(words)}Q", *words)
    rules = _done(_calls().syscall(CREATE, attributes, ctypes.c_size_t(len(attributes)), 0))
    own = (sys.prefix, sys.base_prefix, str(Path(scorer.__file__).parent))
    for path in (*SYSTEM, *FACTS, *own, *read):
        _allow(rules, path, rights & READ)
    # where a process of its own, as for Parquet, finds the package; names below it, no bytes
    _allow(rules, str(Path(scorer.__file__).parents[1]), LIST)
    for path in (*DEVICES, *write):
        _allow(rules, path, rights)
    _done(_calls().syscall(RESTRICT, rules, 0))
    os.close(rules)


def _allow(rules: int, path: str, rights: int) -> None:
    with suppress(FileNotFoundError):  # what is not there cannot be read
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            if not os.path.isdir(path):
                rights &= OF_A_FILE
            rule = struct.pack("=Qi", rights, handle)
            _done(_calls().syscall(ADD, rules, BENEATH, rule, 0))
        finally:
            os.close(handle)


def _filter(machine: str) -> None:
    """Have seccomp refuse the system calls that reach the network or another process."""
    refused = (*CALLS[machine], *EVERYWHERE)
    load, equal, above, give = 0x20, 0x15, 0x35, 0x06
    steps = [
        (load, 0, 0, 4),  # the machine that a call is of
        (equal, 0, len(refused) + 2, MACHINES[machine]),
        (load, 0, 0, 0),  # its number
        (above, len(refused), 0, OTHER_CALLS),
        *((equal, len(refused) - n - 1, 0, call) for n, call in enumerate(refused[:-1])),
        (equal, 0, 1, refused[-1]),
        (give, 0, 0, REFUSED),
        (give, 0, 0, ALLOWED),
    ]
    program = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *s) for s in steps))
    head = struct.pack("@HP", len(steps), ctypes.addressof(program))
    _done(_calls().prctl(SET_SECCOMP, FILTER, head, 0, 0))


def _done(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), "this process cannot be confined")
    return result
