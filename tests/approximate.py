"""Numbers of golden files, whose last places differ from machine to machine."""

import pytest


def approximately(said):
    """Numbers may differ in their last places from machine to machine."""
    if isinstance(said, dict):
        return {key: approximately(value) for key, value in said.items()}
    if isinstance(said, list):
        return [approximately(value) for value in said]
    return pytest.approx(said, rel=1e-9, abs=1e-12) if isinstance(said, float) else said
