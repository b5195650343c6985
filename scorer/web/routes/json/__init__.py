"""The JSON API: what participants do by a program."""

V1 = "/api/v1/challenges"
