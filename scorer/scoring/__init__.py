"""A challenge bound and opened; submissions scored, their values aggregated and explained."""
