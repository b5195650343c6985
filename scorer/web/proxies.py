"""What a trusted proxy says of a request: its address, whether it came by https, its team."""

from __future__ import annotations

from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

from fastapi import Request


class Proxies:
    """The proxies whose headers count; the headers of others are as if they were not there."""

    def __init__(self, networks: tuple[str, ...], team_header: str | None = None) -> None:
        self._networks: list[IPv4Network | IPv6Network] = [
            ip_network(network, strict=False) for network in networks
        ]
        self._team_header = team_header

    def address(self, request: Request) -> str:
        """Where a request comes from: the last address of its way that is no trusted proxy's."""
        forwarded = ",".join(request.headers.getlist("x-forwarded-for")).split(",")
        way = [_peer(request), *(step for each in reversed(forwarded) if (step := each.strip()))]
        return next((step for step in way if not self._trusts(step)), way[-1])

    def is_secure(self, request: Request) -> bool:
        """Whether the browser came by https."""
        if self._trusts(_peer(request)):
            return request.headers.get("x-forwarded-proto", "") == "https"
        return request.url.scheme == "https"

    def team(self, request: Request) -> str | None:
        """The name of the team that a proxy has signed in; None without one."""
        if self._team_header is None or not self._trusts(_peer(request)):
            return None
        name = request.headers.get(self._team_header, "")
        return name.encode("latin-1").decode(errors="replace").strip() or None

    def _trusts(self, peer: str) -> bool:
        try:
            address = ip_address(peer)
        except ValueError:
            return False
        address = getattr(address, "ipv4_mapped", None) or address
        return any(address in network for network in self._networks)


def _peer(request: Request) -> str:
    return request.client.host if request.client else ""
