"""Takes from a process, at its start, what Windows lacks; it is Python's own hook for that."""

import os
import platform
import shutil
import signal
import subprocess
import sys
import uuid  # noqa: F401 - it asks for some of what goes
import warnings

MODULES = ("fcntl", "grp", "posix_spawn", "pty", "pwd", "readline", "resource", "syslog", "termios")
OS = (
    "O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "O_PATH", "chown", "chroot", "ctermid",
    "fchmod", "fchown", "fork", "forkpty", "getegid", "geteuid", "getgid", "getgroups",
    "getloadavg", "getpgid", "getpriority", "getsid", "getuid", "initgroups", "killpg", "lchown",
    "mkfifo", "mknod", "nice", "posix_fadvise", "posix_fallocate", "pread", "preadv", "pwrite",
    "sendfile", "setegid", "seteuid", "setgid", "setpgid", "setpriority", "setregid", "setsid",
    "setuid", "statvfs", "sync", "tcgetpgrp", "ttyname", "wait3", "wait4",
)  # fmt: skip
SIGNAL = (
    "SIGALRM", "SIGBUS", "SIGCHLD", "SIGCONT", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGQUIT", "SIGSTOP",
    "SIGUSR1", "SIGUSR2", "SIGXCPU", "alarm", "getitimer", "pause", "pthread_kill",
    "pthread_sigmask", "setitimer", "sigpending", "sigwait",
)  # fmt: skip

platform.uname()  # is asked of os.uname() once, and kept
for name in MODULES:
    sys.modules[name] = None
for module, names in ((os, OS), (signal, SIGNAL)):
    for name in names:
        if hasattr(module, name):
            delattr(module, name)
subprocess.Popen.kill = subprocess.Popen.terminate
os.supports_dir_fd = os.supports_fd = set()
shutil._use_fd_functions = False  # as on Windows, whose folders have no descriptors

known_open, known_uname = os.open, os.uname


def open_(path, *words, **more):
    """As `os.open`, which opens no folder there."""
    if not isinstance(path, int) and os.path.isdir(path):
        raise PermissionError(13, "Permission denied", path)
    return known_open(path, *words, **more)


def uname():
    """As `os.uname`, for Python itself alone: it takes this system for the one it is."""
    if f"{os.sep}scorer{os.sep}" in sys._getframe(1).f_code.co_filename:
        raise AttributeError("module 'os' has no attribute 'uname'")
    return known_uname()


os.open, os.uname = open_, uname
# what is read or written in whatever a console's code page is
warnings.filterwarnings("error", category=EncodingWarning, module="scorer")
