"""What a trusted proxy says of a request: its address, whether it came by https, its team."""

from __future__ import annotations

from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

from fastapi import Request


class Proxies:
    """The proxies that are trusted. Headers from any other sender are ignored."""

    def __init__(self, networks: tuple[str, ...], team_header: str | None = None) -> None:
        self._networks: list[IPv4Network | IPv6Network] = [
            ip_network(network, strict=False) for network in networks
        ]
        self._team_header = team_header

    def address(self, request: Request) -> str:
        """Return the client's address: the last one in the chain that is not a trusted proxy's."""
        forwarded = ",".join(request.headers.getlist("x-forwarded-for")).split(",")
        stripped = [address.strip() for address in reversed(forwarded)]
        chain = [_peer(request), *(address for address in stripped if address)]
        return next((address for address in chain if not self._trusts(address)), chain[-1])

    def is_secure(self, request: Request) -> bool:
        """Return whether the browser used https."""
        if self._trusts(_peer(request)):
            return request.headers.get("x-forwarded-proto", "") == "https"
        return request.url.scheme == "https"

    def team(self, request: Request) -> str | None:
        """The name of the team that a proxy has signed in; None without one."""
        if self._team_header is None or not self._trusts(_peer(request)):
            return None
        name = request.headers.get(self._team_header, "")
        # Starlette reads headers as Latin-1, but proxies send names in UTF-8.
        return name.encode("latin-1").decode(errors="replace").strip() or None

    def _trusts(self, peer: str) -> bool:
        try:
            address = ip_address(peer)
        except ValueError:
            return False
        # An IPv4 client of an IPv6 socket is ::ffff:192.0.2.1; networks name it as 192.0.2.1.
        address = getattr(address, "ipv4_mapped", None) or address
        return any(address in network for network in self._networks)


def _peer(request: Request) -> str:
    return request.client.host if request.client else ""
