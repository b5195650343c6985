"""Classes whose methods are made late behave as those of `dataclasses`."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import re
from threading import Barrier, Thread
from typing import ClassVar

import pytest

from scorer.core.dataclass import Unmade, dataclass, field_names, replace


@dataclass(frozen=True)
class Point:
    """With a dictionary."""

    kind: ClassVar[str] = "point"
    x: int
    y: list[int] = dataclasses.field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Slotted:
    """With slots."""

    kind: ClassVar[str] = "slotted"
    x: int
    y: int = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Wider(Slotted):
    """With one slot more."""

    z: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Alone:
    """Equal to itself alone."""

    x: int
    y: int = 0


CASES = [Point(1, [2]), Slotted(1), Wider(x=1, z=(3,)), Alone(1)]


@pytest.mark.parametrize("one", CASES, ids=lambda one: type(one).__name__)
def test_instances_are_those_of_dataclasses(one):
    again = dataclasses.replace(one)
    assert (again == one) is (type(one) is not Alone)
    assert repr(again) == repr(one)
    assert repr(one).startswith(f"{type(one).__name__}(x=1, y=")
    assert [field.name for field in dataclasses.fields(one)][:2] == ["x", "y"]
    for other in (copy.copy(one), pickle.loads(pickle.dumps(one))):
        assert type(other) is type(one)
        assert repr(other) == repr(one)
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.x = 3
    with pytest.raises(dataclasses.FrozenInstanceError):
        del one.x


def test_slots_leave_no_room_for_more():
    assert not hasattr(Wider(x=1), "__dict__")
    assert (Slotted.__slots__, Wider.__slots__) == (("x", "y"), ("z",))
    assert hash(Slotted(1)) == hash(Slotted(1, 2)) != hash(Slotted(2))


def test_a_class_is_completed_only_when_asked():
    @dataclass(frozen=True)
    class Late:
        """Not made yet."""

        x: int
        y: list[int] = dataclasses.field(default_factory=list)

    assert isinstance(vars(Late)["__init__"], Unmade)
    assert list(inspect.signature(Late).parameters) == ["x", "y"]  # asks
    assert not isinstance(vars(Late)["__init__"], Unmade)
    assert Late(1) == Late(1, [])
    assert Late.__match_args__ == ("x", "y")
    with pytest.raises(AttributeError):
        _ = Late.y  # has no value of the class


def test_the_first_instance_asks_for_its_constructor_alone():
    @dataclass(frozen=True, slots=True)
    class Base:
        """With a default that is made anew."""

        kind: ClassVar[str] = "base"
        x: int
        y: list[int] = dataclasses.field(default_factory=list)

    @dataclass(frozen=True, slots=True)
    class Below(Base):
        """With what is written by its name alone, and a default of its own for another."""

        z: int = dataclasses.field(kw_only=True)
        y: list[int] = dataclasses.field(default_factory=lambda: [7])
        w: str = "w"

        def __post_init__(self) -> None:
            object.__setattr__(self, "w", self.w * 2)

    @dataclass(frozen=True)
    class Lowest(Below):
        """Without fields."""

    one = Lowest(1, z=3)
    assert (one.x, one.y, one.z, one.w) == (1, [7], 3, "ww")
    assert (Lowest(1, [2], "v", z=3).y, Base(1).y) == ([2], [])
    for cls in (Base, Lowest):
        assert isinstance(vars(cls)["__eq__"], Unmade)
    assert str(inspect.signature(Lowest)) == (
        "(x: 'int', y: 'list[int]' = <factory>, w: 'str' = 'w', *, z: 'int') -> None"
    )
    made = vars(Lowest)["__init__"]
    assert one == Lowest(1, z=3) != Lowest(2, z=3)
    assert [field.name for field in dataclasses.fields(one)] == ["x", "y", "z", "w"]
    assert vars(Lowest)["__init__"] is made
    told = "Lowest.__init__() missing 1 required keyword-only argument: 'z'"
    with pytest.raises(TypeError, match=re.escape(told)):
        Lowest(1)


def test_a_field_that_nobody_gives_is_left_as_it_is():
    @dataclass(frozen=True)
    class Fixed:
        """With a field of its own."""

        x: int
        over: str = dataclasses.field(default="lists", init=False)

    again = replace(Fixed(1), x=2)
    assert (again.x, again.over, field_names(Fixed)) == (2, "lists", ("x", "over"))


def test_threads_that_ask_at_once_all_find_it_complete():
    for _ in range(20):

        @dataclass(frozen=True, slots=True)
        class Shared:
            """Made by the first of them."""

            x: int

        together, made = Barrier(4), list[object]()

        def make(shared=Shared, together=together, made=made):
            together.wait()
            made.append(shared(1))

        threads = [Thread(target=make) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert made == [Shared(1)] * 4
