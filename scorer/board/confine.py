"""How a process gives up, for good, the network, other processes and all files but its own.

Linux has Landlock (since 5.13) for files and seccomp for system calls. Both are used by their
system calls: they need no privilege, no namespace and no other program. A system that lacks one
of them goes without it, and `protections` says so.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path

import scorer

# Numbers of the kernel's interface: of prctl (linux/prctl.h, linux/seccomp.h)
NO_NEW_PRIVILEGES = 38
SET_SECCOMP = 22
SECCOMP_FILTER = 2

# of Landlock (linux/landlock.h); its system calls have the same numbers on all machines
CREATE_RULESET = 444
ADD_RULE = 445
RESTRICT_SELF = 446
GET_VERSION = 1  # a flag of CREATE_RULESET
RULE_PATH_BENEATH = 1
EXECUTE, WRITE_FILE, READ_FILE, READ_FOLDER = 1 << 0, 1 << 1, 1 << 2, 1 << 3
TRUNCATE = 1 << 14
READ = EXECUTE | READ_FILE | READ_FOLDER
FILE_RIGHTS = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE  # those that a file can have
FIRST_RIGHTS = (1 << 13) - 1  # all rights of the first version
LATER_RIGHTS = {2: 1 << 13, 3: TRUNCATE, 5: 1 << 15}  # version -> the right that it added
NETWORK = 0b11  # bind and connect of TCP, from the fourth version
SCOPES = 0b11  # abstract sockets and signals, from the sixth version

# of the machines whose system calls we know (linux/audit.h)
MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
# socket, ptrace, process_vm_readv, process_vm_writev, bpf, perf_event_open
CALLS = {"x86_64": (41, 101, 310, 311, 321, 298), "aarch64": (198, 117, 270, 271, 280, 241)}
CALLS_EVERYWHERE = (425, 438)  # io_uring_setup, pidfd_getfd; the same numbers on all machines
X32_CALLS = 0x40000000  # x86_64 has each call a second time, from this number on

# of programs that seccomp runs for each system call (linux/bpf_common.h)
LOAD = 0x20  # a word of the description of the call
IF_EQUAL, IF_AT_LEAST = 0x15, 0x35
RETURN = 0x06
CALL_NUMBER, CALL_MACHINE = 0, 4  # places in the description of the call
ALLOWED = 0x7FFF0000
REFUSED = 0x00050000 | errno.EACCES

# What Python and the packages need beside the task's own files.
SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/opt", "/etc/ld.so.cache", "/etc/localtime")
DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")
FACTS = ("/proc/self", "/proc/meminfo", "/proc/cpuinfo", "/sys/devices/system/cpu")


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def landlock() -> int:
    """Return the version of Landlock that this system has; 0: none."""
    if sys.platform != "linux":
        return 0
    return max(int(_libc().syscall(CREATE_RULESET, None, ctypes.c_size_t(0), GET_VERSION)), 0)


def seccomp() -> bool:
    """Return whether this system filters system calls, on a machine whose calls we know."""
    return (
        sys.platform == "linux"
        and platform.machine() in CALLS
        and Path("/proc/sys/kernel/seccomp/actions_avail").exists()
    )


def fully_confined() -> bool:
    """Return whether this system has all protections."""
    return landlock() > 0 and seccomp()


def protections() -> str:
    """Return a sentence on what a child process of this system cannot do."""
    has, lacks = list[str](), list[str]()
    if landlock() > 0:
        has.append("no file but its own (Landlock)")
    else:
        lacks.append("all files of this user (no Landlock)")
    if seccomp():
        has.append("no network (seccomp)")
    else:
        lacks.append("the network (no seccomp)")
    sentence = f"an evaluation has {' and '.join(has)}" if has else "an evaluation is not confined"
    return f"{sentence}; it reaches {' and '.join(lacks)}: use a container" if lacks else sentence


def confine(read: Iterable[str], write: Iterable[str]) -> None:
    """Take from this process, for good, the network, other processes and all but these files.

    Args:
        read: The files and folders that it may read.
        write: The folders in which it may also write.

    Raises:
        OSError: A protection that this system has cannot be set up.
    """
    if landlock() or seccomp():
        _require_success(_libc().prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0))
    if version := landlock():
        _restrict_files(version, read, write)
    if seccomp():
        _filter_calls(platform.machine())


def _restrict_files(version: int, read: Iterable[str], write: Iterable[str]) -> None:
    """Have Landlock refuse every file that no rule names."""
    rights = FIRST_RIGHTS
    for since, right in LATER_RIGHTS.items():
        rights |= right if version >= since else 0
    # the kernel's struct of this version: a word for files, one for the network, one for scopes
    words = [rights]
    if version >= 4:
        words.append(NETWORK)
    if version >= 6:
        words.append(SCOPES)
    ruleset = struct.pack(f"={len(words)}Q", *words)
    rules = _require_success(
        _libc().syscall(CREATE_RULESET, ruleset, ctypes.c_size_t(len(ruleset)), 0)
    )
    package = Path(scorer.__file__).parent
    for path in (*SYSTEM, *FACTS, sys.prefix, sys.base_prefix, str(package), *read):
        _allow(rules, path, rights & READ)
    # A further process, as for Parquet, looks for the package here: it may list, not read.
    _allow(rules, str(package.parent), READ_FOLDER)
    for path in (*DEVICES, *write):
        _allow(rules, path, rights)
    _require_success(_libc().syscall(RESTRICT_SELF, rules, 0))
    os.close(rules)


def _allow(rules: int, path: str, rights: int) -> None:
    """Add a rule: a file, or all below a folder, may be used in these ways."""
    with suppress(FileNotFoundError):  # a missing file needs no rule
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            if not os.path.isdir(path):
                rights &= FILE_RIGHTS
            rule = struct.pack("=Qi", rights, handle)
            _require_success(_libc().syscall(ADD_RULE, rules, RULE_PATH_BENEATH, rule, 0))
        finally:
            os.close(handle)


def _filter_calls(machine: str) -> None:
    """Have seccomp refuse the system calls that reach the network or another process.

    A step is (operation, steps to skip if true, steps to skip if false, operand). The last two
    steps refuse and allow; the others skip to one of them.
    """
    refused = (*CALLS[machine], *CALLS_EVERYWHERE)
    steps = [
        (LOAD, 0, 0, CALL_MACHINE),
        (IF_EQUAL, 0, len(refused) + 2, MACHINES[machine]),  # else refuse
        (LOAD, 0, 0, CALL_NUMBER),
        (IF_AT_LEAST, len(refused), 0, X32_CALLS),  # refuse
        *((IF_EQUAL, len(refused) - n - 1, 0, call) for n, call in enumerate(refused[:-1])),
        (IF_EQUAL, 0, 1, refused[-1]),  # else allow
        (RETURN, 0, 0, REFUSED),
        (RETURN, 0, 0, ALLOWED),
    ]
    program = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *s) for s in steps))
    head = struct.pack("@HP", len(steps), ctypes.addressof(program))
    _require_success(_libc().prctl(SET_SECCOMP, SECCOMP_FILTER, head, 0, 0))


def _require_success(result: int) -> int:
    """Return the result of a system call. Raises `OSError` if the call failed."""
    if result < 0:
        raise OSError(ctypes.get_errno(), "this process cannot be confined")
    return result
