"""TeX commands for characters, functions, spaces, accents and alphabets."""

from __future__ import annotations

from paddock.wolfram.named_characters import get_character

_CHARACTER_NAMES = """
    epsilon=Epsilon varepsilon=CurlyEpsilon vartheta=CurlyTheta varpi=CurlyPi varrho=CurlyRho
    varsigma=FinalSigma varphi=CurlyPhi phi=Phi infty=Infinity partial=PartialD nabla=Del
    emptyset=EmptySet hbar=HBar ell=ScriptL aleph=Aleph angle=Angle pm=PlusMinus mp=MinusPlus
    times=Times div=Divide cdot=CenterDot circ=SmallCircle ast=Star oplus=CirclePlus
    otimes=CircleTimes leq=LessEqual geq=GreaterEqual neq=NotEqual ll=LessLess gg=GreaterGreater
    approx=TildeTilde sim=Tilde simeq=TildeEqual cong=TildeFullEqual equiv=Congruent
    propto=Proportional in=Element notin=NotElement ni=ReverseElement subset=Subset supset=Superset
    subseteq=SubsetEqual supseteq=SupersetEqual cup=Union cap=Intersection setminus=Backslash
    forall=ForAll exists=Exists neg=Not land=And lor=Or wedge=Wedge vee=Vee perp=Perpendicular
    mid=VerticalBar rightarrow=RightArrow leftarrow=LeftArrow leftrightarrow=LeftRightArrow
    Rightarrow=DoubleRightArrow Leftarrow=DoubleLeftArrow Leftrightarrow=DoubleLeftRightArrow
    mapsto=RightTeeArrow uparrow=UpArrow downarrow=DownArrow ldots=Ellipsis cdots=CenterEllipsis
    vdots=VerticalEllipsis ddots=DescendingEllipsis prime=Prime langle=LeftAngleBracket
    rangle=RightAngleBracket lfloor=LeftFloor rfloor=RightFloor lceil=LeftCeiling rceil=RightCeiling
    dagger=Dagger therefore=Therefore because=Because sum=Sum prod=Product int=Integral
    oint=ContourIntegral
"""
"""Character names by TeX command."""
_GREEK_COMMANDS = (
    "alpha beta gamma delta zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon chi "
    "psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
)
_COMMAND_SYNONYMS = {
    "le": "leq",
    "ge": "geq",
    "ne": "neq",
    "to": "rightarrow",
    "gets": "leftarrow",
    "implies": "Rightarrow",
    "iff": "Leftrightarrow",
    "dots": "ldots",
    "lnot": "neg",
    "varnothing": "emptyset",
    "bullet": "cdot",
}


def _build_characters_by_command() -> dict[str, str]:
    """Map each TeX command to its character: an arrow for `rightarrow` and its synonym `to`."""
    pairs = (pair.partition("=") for pair in _CHARACTER_NAMES.split())
    names: dict[str, str] = {command: character_name for command, _, character_name in pairs}
    # In Wolfram Language, the names are `Alpha` for `alpha`, and `CapitalGamma` for `Gamma`.
    for command in _GREEK_COMMANDS.split():
        names[command] = command.capitalize() if command.islower() else f"Capital{command}"
    characters = {
        command: character
        for command, name in names.items()
        if (character := get_character(name)) is not None
    }
    synonyms = {synonym: characters[command] for synonym, command in _COMMAND_SYNONYMS.items()}
    return characters | synonyms


CHARACTERS_BY_COMMAND = _build_characters_by_command()
"""Characters by TeX command."""
COMMANDS_BY_CHARACTER = {
    letter: name for name, letter in CHARACTERS_BY_COMMAND.items() if name not in _COMMAND_SYNONYMS
}
"""TeX commands by character."""
COMMANDS_BY_CHARACTER |= {
    get_character("DifferentialD") or "": "mathrm{d}",
    get_character("Rule") or "": "rightarrow",
}
FUNCTION_COMMANDS = frozenset(
    (
        *("sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh", "coth", "arcsin"),
        *("arccos", "arctan", "log", "ln", "exp", "det", "dim", "ker", "deg", "gcd", "arg", "hom"),
        *("lim", "limsup", "liminf", "max", "min", "sup", "inf", "Pr"),
    )
)
"""Functions with a TeX command of the same name."""
LIMIT_COMMANDS = frozenset(("lim", "limsup", "liminf", "max", "min", "sup", "inf"))
"""Functions whose subscripts are set below them."""
SPACE_COMMANDS = {
    ",": get_character("ThinSpace") or " ",
    ":": get_character("MediumSpace") or " ",
    ";": get_character("ThickSpace") or " ",
    " ": " ",
    "quad": "  ",
    "qquad": "    ",
}
"""Space characters by TeX command."""
ACCENT_COMMANDS = {
    "hat": "^",
    "widehat": "^",
    "bar": "_",
    "overline": "_",
    "tilde": "~",
    "widetilde": "~",
    "vec": get_character("RightVector") or "",
    "dot": ".",
    "ddot": "..",
}
"""Accents by TeX command, as they appear in `OverscriptBox`."""
ALPHABET_COMMANDS = {"mathbb": "DoubleStruck", "mathcal": "Script", "mathfrak": "Gothic"}
"""Styled alphabets by TeX command."""
ESCAPED_CHARACTERS = frozenset("{}%&#$_")
"""Characters that need a backslash in TeX."""
MATRIX_FENCES = {"pmatrix": "()", "bmatrix": "[]", "vmatrix": "||", "Bmatrix": "{}", "matrix": ""}
"""Fences by matrix environment."""


def get_styled_letters(style: str) -> dict[str, str]:
    """Map plain letters to the letters of a styled alphabet, such as `Script`.

    A letter without a character in this style is mapped to itself.
    """
    letters = {}
    for code in range(ord("A"), ord("Z") + 1):
        letter = chr(code)
        letters[letter] = get_character(f"{style}Capital{letter}") or letter
        letters[letter.lower()] = get_character(f"{style}{letter}") or letter.lower()
    return letters
