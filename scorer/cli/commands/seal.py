"""`score seal CHALLENGE`: commit to truth and rules before the start."""

from __future__ import annotations

from scorer.board.seal import sealed_late
from scorer.cli.board import At, Living, moment, on_board
from scorer.cli.options import Result


@on_board
def seal(living: Living, at: At = None) -> Result:
    """Write challenge.seal, which is to be published, and print the commitment."""
    from scorer.board.seal import count_entries_before_seal

    board, notes = living.open()
    commitment = board.seal(now=moment(at))
    if late := count_entries_before_seal(board.challenge, board.database):
        notes = (*notes, sealed_late(late))
    return Result(f"{commitment}\n", (*notes, "publish challenge.seal; keep .scorer/seal.salt"))
