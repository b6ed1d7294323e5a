"""Schema and validation of every type that a parameter can have.

What the published schema allows is what the handler gets, and what it refuses is refused.
"""

import datetime as dt
import decimal
import enum
import pathlib
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, Optional, TypedDict, Union

import attrs
import jsonschema_rs
import msgspec
import pydantic
import pytest

from paddock import Tool
from tests.conftest import Connect
from tests.unit.authoring.served import Served, Taking


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Point(msgspec.Struct):
    x: int
    y: int = 0


@dataclass
class Person:
    name: str
    tags: list[str] = field(default_factory=list)


class Options(TypedDict):
    depth: int
    name: NotRequired[str]


class Pair(NamedTuple):
    left: int
    right: str


@attrs.define
class Box:
    width: int
    height: int = 1


class Engine(pydantic.BaseModel):
    power: int = pydantic.Field(gt=0, description="In kW")


class Car(pydantic.BaseModel):
    name: str
    engine: Engine
    spare: list[Engine] = []


@dataclass
class Garage:
    car: Car
    owner: Person | None = None


class Tree(msgspec.Struct):
    value: int
    children: "list[Tree]" = []


class Cat(msgspec.Struct, tag="cat"):
    lives: int


class Dog(msgspec.Struct, tag="dog"):
    good: bool


PLAIN: list[tuple[Any, dict[str, Any]]] = [
    (str, {"type": "string"}),
    (int, {"type": "integer"}),
    (float, {"type": "number"}),
    (bool, {"type": "boolean"}),
    (Any, {}),
    (list, {"type": "array"}),
    (dict, {"type": "object"}),
    (list[str], {"type": "array", "items": {"type": "string"}}),
    (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
    (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
    (dt.date, {"type": "string", "format": "date"}),
    (uuid.UUID, {"type": "string", "format": "uuid"}),
    (bytes, {"type": "string", "contentEncoding": "base64"}),
    (pathlib.Path, {"type": "string", "format": "path"}),
    (complex, {"anyOf": [{"type": "number"}, {"type": "string"}]}),
]


@pytest.mark.parametrize(("hint", "schema"), PLAIN, ids=str)
def test_a_plain_type_has_a_plain_schema(
    connect: Connect, hint: Any, schema: dict[str, Any]
) -> None:
    assert Taking(connect, hint).parameter == schema


GOOD: list[tuple[Any, Any, Any]] = [
    (str, "é", "é"),
    (str, "", ""),
    (int, 5, 5),
    (int, -(2**63), -(2**63)),
    (int, 5.0, 5),
    (float, 1.5, 1.5),
    (float, 1, 1.0),
    (bool, True, True),
    (None, None, None),
    (Any, {"a": [1, None]}, {"a": [1, None]}),
    (list, [1, "a"], [1, "a"]),
    (list[int], [1, 2], [1, 2]),
    (list[int], [1.0, 2], [1, 2]),
    (list[list[str]], [["a"], []], [["a"], []]),
    (Sequence[int], [1], [1]),
    (dict[str, int], {"a": 1}, {"a": 1}),
    (Mapping[str, int], {"a": 1}, {"a": 1}),
    (dict[str, Any], {"a": [1]}, {"a": [1]}),
    (set[int], [1, 2], {1, 2}),
    (frozenset[str], ["a"], frozenset("a")),
    (tuple[int, str], [1, "a"], (1, "a")),
    (tuple[int, ...], [1, 2, 3], (1, 2, 3)),
    (str | None, None, None),
    (Optional[int], 5, 5),  # noqa: UP045 - as people still write it
    (Union[int, str], "a", "a"),  # noqa: UP007 - as people still write it
    (int | list[int], [1], [1]),
    (Literal["a", 1], 1, 1),
    (Colour, "red", Colour.RED),
    (Level, 2, Level.HIGH),
    (list[Colour], ["blue"], [Colour.BLUE]),
    (dt.datetime, "2026-01-02T03:04:05Z", dt.datetime(2026, 1, 2, 3, 4, 5, tzinfo=dt.UTC)),
    (dt.date, "2026-01-02", dt.date(2026, 1, 2)),
    (dt.timedelta, "PT1M", dt.timedelta(minutes=1)),
    (
        uuid.UUID,
        "12345678-1234-5678-1234-567812345678",
        uuid.UUID(int=0x12345678123456781234567812345678),
    ),
    (decimal.Decimal, "1.50", decimal.Decimal("1.50")),
    (bytes, "AP8=", b"\x00\xff"),
    (pathlib.Path, "/tmp/é", pathlib.Path("/tmp/é")),  # noqa: S108 - nothing is written there
    (list[pathlib.Path], ["a"], [pathlib.Path("a")]),
    (pathlib.Path | None, "a", pathlib.Path("a")),
    (Point, {"x": 1}, Point(1)),
    (list[Point], [{"x": 1, "y": 2}], [Point(1, 2)]),
    (dict[str, Point], {"a": {"x": 1}}, {"a": Point(1)}),
    (Point | None, None, None),
    (Person, {"name": "Ada", "tags": ["x"]}, Person("Ada", ["x"])),
    (Options, {"depth": 1}, {"depth": 1}),
    (Options, {"depth": 1, "name": "a"}, {"depth": 1, "name": "a"}),
    (Pair, [1, "a"], Pair(1, "a")),
    (Box, {"width": 2}, Box(2)),
    (Engine, {"power": 5}, Engine(power=5)),
    (
        Car,
        {"name": "a", "engine": {"power": 1}, "spare": [{"power": 2}]},
        Car(name="a", engine=Engine(power=1), spare=[Engine(power=2)]),
    ),
    (list[Car], [{"name": "a", "engine": {"power": 1}}], [Car(name="a", engine=Engine(power=1))]),
    (Car | None, {"name": "a", "engine": {"power": 1}}, Car(name="a", engine=Engine(power=1))),
    (
        Garage,
        {"car": {"name": "a", "engine": {"power": 1}}, "owner": {"name": "Ada"}},
        Garage(Car(name="a", engine=Engine(power=1)), Person("Ada")),
    ),
    (Tree, {"value": 1, "children": [{"value": 2}]}, Tree(1, [Tree(2)])),
    (Cat | Dog, {"type": "dog", "good": True}, Dog(good=True)),
    (Annotated[int, msgspec.Meta(ge=1, le=3)], 3, 3),
    (Annotated[str, msgspec.Meta(pattern="^a+$")], "aa", "aa"),
    (Annotated[str, "just a description"], "a", "a"),
    (Annotated[int, pydantic.Field(ge=1)], 2, 2),
]


@pytest.mark.parametrize(("hint", "given", "taken"), GOOD, ids=str)
def test_a_handler_gets_a_value_of_its_type(
    connect: Connect, hint: Any, given: Any, taken: Any
) -> None:
    value = Taking(connect, hint).give(given)
    assert value == taken
    assert type(value) is type(taken)


BAD: list[tuple[Any, Any, list[str]]] = [
    (str, 5, ["$.value", "str", "int"]),
    (str, None, ["$.value", "str", "null"]),
    (int, "5", ["$.value", "int", "str"]),
    (int, 5.5, ["$.value", "int", "float"]),
    (int, True, ["$.value", "int", "bool"]),
    (float, "x", ["$.value", "float", "str"]),
    (bool, 1, ["$.value", "bool", "int"]),
    (list[int], [1, "a"], ["$.value[1]", "int", "str"]),
    (list[int], 5, ["$.value", "array", "int"]),
    (dict[str, int], {"a": "b"}, ["$.value", "int", "str"]),
    (tuple[int, str], [1], ["$.value", "2"]),
    (Literal["a", "b"], "c", ["$.value", "c"]),
    (Colour, "green", ["$.value", "green"]),
    (Level, 3, ["$.value", "3"]),
    (int | None, "a", ["$.value", "int", "str"]),
    (Point, {"y": 1}, ["$.value", "x"]),
    (Point, {"x": "1"}, ["$.value.x", "int", "str"]),
    (list[Point], [{"x": 1}, {"x": None}], ["$.value[1].x", "int", "null"]),
    (Person, {"name": 5}, ["$.value.name", "str", "int"]),
    (Options, {"name": "a"}, ["$.value", "depth"]),
    (Box, {"width": "a"}, ["$.value.width", "int", "str"]),
    (Tree, {"value": 1, "children": [{}]}, ["$.value.children[0]", "value"]),
    (Cat | Dog, {"type": "cow"}, ["cow"]),
    (Annotated[int, msgspec.Meta(ge=1)], 0, ["$.value", "1"]),
    (Annotated[str, msgspec.Meta(max_length=2)], "abc", ["$.value", "2"]),
    (Engine, {"power": 0}, ["power", "greater than 0"]),
    (Car, {"name": "a", "engine": {"power": "x"}}, ["engine.power", "integer"]),
    (list[Car], [{"name": "a"}], ["engine"]),
    (Garage, {"car": {"name": "a", "engine": {}}}, ["power"]),
]


@pytest.mark.parametrize(("hint", "given", "said"), BAD, ids=str)
def test_a_wrong_value_is_refused_with_its_path_and_what_was_expected(
    connect: Connect, hint: Any, given: Any, said: list[str]
) -> None:
    text = Taking(connect, hint).refusal(value=given)
    for part in said:
        assert part in text, text


FORMATS: list[tuple[Any, Any]] = [
    (dt.datetime, "yesterday"),
    (uuid.UUID, "not-a-uuid"),
    (bytes, "not base64!"),
    (pathlib.Path, 5),
    (list[pathlib.Path], ["a", 5]),
    (decimal.Decimal, "x"),
]


@pytest.mark.parametrize(("hint", "given"), FORMATS, ids=str)
def test_a_value_of_the_wrong_format_is_refused(connect: Connect, hint: Any, given: Any) -> None:
    taking = Taking(connect, hint)
    assert "value" in str(taking.call(value=given))
    assert taking.taken == []


def test_what_is_known_about_a_parameter_is_in_its_schema(connect: Connect) -> None:
    hint = Annotated[int, msgspec.Meta(ge=1, le=9, description="How many", examples=[3])]
    taking = Taking(connect, hint, 5)
    assert taking.parameter == {
        "type": "integer",
        "minimum": 1,
        "maximum": 9,
        "description": "How many",
        "examples": [3],
        "default": 5,
    }


def test_a_description_may_be_a_plain_annotation(connect: Connect) -> None:
    assert Taking(connect, Annotated[str, "What to do"]).parameter == {
        "type": "string",
        "description": "What to do",
    }


def test_definitions_that_two_parameters_share_stand_once(connect: Connect) -> None:
    taking = Taking(connect, tuple[Car, Engine, Point, list[Point]])
    car = {"name": "a", "engine": {"power": 1}}
    taken = taking.give([car, {"power": 2}, {"x": 1}, [{"x": 2}]])
    assert taken[2:] == (Point(1), [Point(2)])


def truck_type() -> Any:
    class Engine(pydantic.BaseModel):
        fuel: str

    class Truck(pydantic.BaseModel):
        engine: Engine

    return Truck


def test_two_models_with_definitions_of_one_name_are_not_mixed_up(connect: Connect) -> None:
    def take(car: Car, truck: Any) -> str:
        return f"{car.engine.power} {truck.engine.fuel}"

    take.__annotations__["truck"] = truck_type()
    served = Served(connect, Tool("take", take))
    given = {"car": {"name": "a", "engine": {"power": 1}}, "truck": {"engine": {"fuel": "diesel"}}}
    assert jsonschema_rs.is_valid(served.schema, given)
    assert served.text(**given) == "1 diesel"


DEFAULTS: list[tuple[Any, Any, Any]] = [
    (str, "x", "x"),
    (int, 0, 0),
    (bool, False, False),
    (str | None, None, None),
    (list[int], [1], [1]),
    (dict[str, int], {"a": 1}, {"a": 1}),
    (Colour, Colour.RED, "red"),
    (pathlib.Path, pathlib.Path("a"), "a"),
    (dt.date, dt.date(2026, 1, 2), "2026-01-02"),
    (tuple[int, int], (1, 2), [1, 2]),
    (Point, Point(1, 2), {"x": 1, "y": 2}),
    (Person, Person("Ada"), {"name": "Ada", "tags": []}),
    (Engine, Engine(power=1), {"power": 1}),
]


@pytest.mark.parametrize(("hint", "default", "shown"), DEFAULTS, ids=str)
def test_an_absent_argument_has_its_default_which_the_schema_shows(
    connect: Connect, hint: Any, default: Any, shown: Any
) -> None:
    taking = Taking(connect, hint, default)
    assert taking.parameter["default"] == shown
    assert "required" not in taking.schema
    assert taking.give_nothing() == default


@pytest.mark.parametrize(
    "default", [[1], {"a": [1]}, {1, 2}, bytearray(b"x"), [[1]], Person("Ada", ["x"])]
)
def test_a_default_is_new_for_every_call(connect: Connect, default: Any) -> None:
    taking = Taking(connect, type(default), default)
    first, second = taking.give_nothing(), taking.give_nothing()
    assert first == second == default
    assert first is not second
    assert first is not default


def test_a_default_that_is_not_json_is_not_shown_and_still_used(connect: Connect) -> None:
    default = object()
    taking = Taking(connect, Any, default)
    assert taking.parameter == {}
    assert taking.give_nothing() is default
