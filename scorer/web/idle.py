"""Connections that stand still are ended: who sends nothing holds nothing."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

IDLE = 30.0  # seconds without a byte of a request that has not ended, or taken of an answer
LOOK = 5.0  # seconds between looks


class ImpatientProtocol(H11Protocol):
    """HTTP by h11; a connection that is waited for in vain is ended."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to look."""
        super().connection_made(transport)
        self._heard = self._taken = self.loop.time()
        self._unsent = 0
        self.loop.call_later(LOOK, self._look)

    def data_received(self, data: bytes) -> None:
        """Take bytes, and note when they came."""
        self._heard = self.loop.time()
        super().data_received(data)

    def _look(self) -> None:
        if self.transport.is_closing():
            return
        now, unsent = self.loop.time(), self.transport.get_write_buffer_size()
        if unsent != self._unsent:
            self._unsent, self._taken = unsent, now
        is_silent = self._is_asked_for_more() and now - self._heard >= IDLE
        if is_silent or (unsent and now - self._taken >= IDLE):
            self.transport.abort()
            return
        self.loop.call_later(LOOK, self._look)

    def _is_asked_for_more(self) -> bool:
        """Whether the other side has to go on: its request has not come whole."""
        cycle: Any = self.cycle
        begun = cycle is not None and not cycle.response_complete
        return not self.flow.read_paused and (not begun or cycle.more_body)
