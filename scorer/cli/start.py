"""The entry point of the command."""

import gc
import os
import signal

# Both take time at the start of each command, and a command needs neither: threads of numpy's
# BLAS, and a search through all installed packages for plug-ins of pydantic.
DEFAULTS = {"OPENBLAS_NUM_THREADS": "1", "PYDANTIC_DISABLE_PLUGINS": "__all__"}


def main() -> None:
    """Run the command of this process and exit with its code."""
    signal.signal(signal.SIGINT, _end_at_once)
    for name, value in DEFAULTS.items():
        os.environ.setdefault(name, value)
    # Imports make some 200,000 objects that stay. To search them for garbage takes a twentieth of
    # the time of a small command, even once.
    gc.set_threshold(250_000, 50, 100)
    from scorer.cli.main import main as run_command

    run_command()


def _end_at_once(*_: object) -> None:
    """End the process: during the imports, nothing has been done that has to be undone."""
    os.write(2, b"interrupted\n")
    os._exit(130)
