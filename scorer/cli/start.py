"""The command's way in: Ctrl-C has its answer before what takes long is imported."""

import os
import signal


def main() -> None:
    """Run the command of this process and exit with its code."""
    signal.signal(signal.SIGINT, _interrupted)
    from scorer.cli.main import main as run

    run()


def _interrupted(*_: object) -> None:
    """End at once; nothing that would have to be undone has been done yet."""
    os.write(2, b"interrupted\n")
    os._exit(130)
