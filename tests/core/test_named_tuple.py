"""Named tuples whose methods are made late behave as those of `typing`."""

from __future__ import annotations

import copy
import inspect
import pickle
import typing

import pytest

from scorer.core.dataclass import Unmade
from scorer.core.named_tuple import NamedTuple


class Pair(NamedTuple):
    """With a default and a method of its own."""

    left: int
    right: str = "r"

    def __str__(self) -> str:
        return f"{self.left}{self.right}"


class Wider(Pair):
    """A class below it."""


class Usual(typing.NamedTuple):
    """What `typing` makes of the same."""

    left: int
    right: str = "r"


def test_instances_are_those_of_typing():
    one, usual = Pair(1), Usual(1)
    assert one == usual == (1, "r")
    assert repr(one) == "Pair(left=1, right='r')"
    assert str(one) == "1r"
    assert (one.left, one.right) == (1, "r")
    left, right = one
    assert (left, right) == one
    assert one._asdict() == usual._asdict()
    assert one._replace(right="s") == usual._replace(right="s") == Pair(1, right="s")
    assert type(one._replace(left=2)) is Pair
    assert Pair._make([1, "r"]) == one
    for other in (copy.copy(one), pickle.loads(pickle.dumps(one))):
        assert (type(other), other) == (Pair, one)
    with pytest.raises(AttributeError):
        one.left = 2
    with pytest.raises(AttributeError):
        one.other = 2
    match one:
        case Pair(left, right):
            assert (left, right) == one


@pytest.mark.parametrize("wrong", [lambda c: c(), lambda c: c(1, "r", 2), lambda c: c(1, top=2)])
def test_wrong_arguments_are_told_as_typing_tells_them(wrong):
    told = list[str]()
    for cls in (Pair, Usual):
        with pytest.raises(TypeError) as error:
            wrong(cls)
        told.append(str(error.value).replace(cls.__name__, ""))
    assert told[0] == told[1]


def test_classes_are_those_of_typing():
    assert typing.get_type_hints(Pair) == typing.get_type_hints(Usual)
    assert str(inspect.signature(Pair)) == "(left: int, right: str = 'r')".replace(
        ": int", ""
    ).replace(": str = ", "=")
    for name in ("_fields", "_field_defaults", "__match_args__", "__slots__", "__bases__"):
        assert getattr(Pair, name) == getattr(Usual, name)
    assert type(Pair) is type
    assert Pair.__orig_bases__ == Usual.__orig_bases__  # by which cattrs knows them
    assert (type(Wider(2)), Wider(2)) == (Wider, (2, "r"))
    assert repr(Wider(2)) == "Wider(left=2, right='r')"


def test_methods_are_made_when_one_is_asked_for():
    class Late(NamedTuple):
        """Not made yet."""

        only: int

    assert isinstance(vars(Late)["__new__"], Unmade)
    assert Late._fields == ("only",)
    assert isinstance(vars(Late)["__new__"], Unmade)
    assert Late(1) == (1,)
    assert not any(isinstance(value, Unmade) for value in vars(Late).values())
