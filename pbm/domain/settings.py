"""A player's choices: the fields of one class, which drive `set`, its help and its checks."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field, fields, replace
from zoneinfo import ZoneInfo, available_timezones

from games.rules import joined
from pbm.domain.calendars import Rests, read_sleep, read_weekend
from pbm.domain.errors import BadArguments
from pbm.domain.spans import DAY, DEFAULT_LADDER, MINUTE, OFF, read_duration, read_hour, write_duration
from pbm.values import frozen

LONGEST_HOLD = DAY
ANYONE, KNOWN, ASK, NONE = "anyone", "known", "ask", "none"
"""Which challenges start a game at once: from all identified players; only from those one has played with or shares a
tournament with; none, as one is asked first. With the last, challenges are refused.
"""

DAILY, PUZZLE_HOUR = "daily", "08:00"
"""A puzzle comes in the digest, or at this hour to players without a digest."""


def read_hold(value: str) -> str:
    """The canonical form; OFF for 0. Raises: BadArguments."""
    length = 0 if value.casefold() in (OFF, "none") else read_duration(value)
    if length and not MINUTE <= length <= LONGEST_HOLD:
        raise BadArguments(f'"{value}" is not allowed: a move may wait from 1m to 24h, or hold is off.', "set hold 10m")
    return write_duration(length) if length else OFF


@frozen
class Choice:
    name: str
    meaning: str
    values: tuple[str, ...] = ()
    """The allowed words; empty if there is a reader."""
    reader: Callable[[str], str] | None = None
    """Returns the canonical form, if a list of words is not enough; `told` then says what is allowed."""
    told: str = ""
    sample: str = ""

    @property
    def range(self) -> str:
        if self.told:
            return self.told
        return joined(self.values, "or") if len(self.values) > 1 else f"only {self.values[0]} so far"

    @property
    def example(self) -> str:
        return self.sample or self.values[-1]

    def read(self, value: str) -> str:
        """Raises: BadArguments."""
        if self.reader is not None:
            return self.reader(value)
        words = {word.casefold(): word for word in self.values}
        plain = value.casefold()
        if words.keys() >= {"on", "off"}:
            plain = _SWITCHES.get(plain, plain)
        if plain not in words:
            raise _unfit(self.name, self.range, value, words)
        return words[plain]


def _unfit(name: str, allowed: str, value: str, words: Mapping[str, str]) -> BadArguments:
    """The refusal of a value, with the one of these words that may be meant. words: by their folded forms."""
    close = difflib.get_close_matches(value.casefold()[:40].replace(" ", "_"), words, n=1, cutoff=0.75)
    if not close:
        return BadArguments(f'"{value}" does not fit: {name} is {allowed}.', f"set {name} VALUE")
    word = words[close[0]]
    return BadArguments(f'"{value}" does not fit. Did you mean {word}?', f"set {name} {word}")


_ZONES = "a name such as Europe/Berlin or UTC"


def read_zone(value: str) -> str:
    """The name of a time zone, also from its place alone. Raises: BadArguments."""
    zones = {zone.casefold(): zone for zone in available_timezones()}
    if value.casefold() in zones:
        return zones[value.casefold()]
    zone = _fixed_zone(value)
    if zone.casefold() in zones:
        excuse = "which knows summer time. Where there is none, write the hours with the sign the other way round."
        raise BadArguments(
            f'"{value}" does not fit: write a place such as Europe/Berlin, {excuse}', f"set timezone {zone}"
        )
    places = _places(zones.values())
    place = value.casefold().replace(" ", "_")
    if place not in places:
        raise _unfit("timezone", _ZONES, value, places)
    return places[place]


def _places(zones: Collection[str]) -> dict[str, str]:
    """The time zones by the names of their places, in lower case."""
    places = {}
    for name in sorted(zones, reverse=True):
        if not name.startswith("Etc/"):  # Etc/GMT-2 is the zone of UTC+2, so "GMT-2" names no place
            places[name.rpartition("/")[2].casefold()] = name
    return places


_SWITCHES = {"yes": "on", "true": "on", "no": "off", "false": "off", "none": "off", "never": "off"}
"""Other words for on and off."""
_HOURS = re.compile(r"(?:utc|gmt)? ?([+-])0?(\d{1,2})(?::?00)?", re.IGNORECASE)


def _fixed_zone(value: str) -> str:
    """The time zone with this offset from UTC in hours; empty for other words.

    >>> _fixed_zone("UTC+2"), _fixed_zone("-05:00"), _fixed_zone("Berlin")
    ('Etc/GMT-2', 'Etc/GMT+5', '')
    """
    hours = _HOURS.fullmatch(value)
    return f"Etc/GMT{'-' if hours[1] == '+' else '+'}{hours[2]}" if hours else ""


def choice(
    default: str,
    meaning: str,
    values: tuple[str, ...] = (),
    reader: Callable[[str], str] | None = None,
    told: str = "",
    sample: str = "",
) -> str:
    """A field of Settings that `set` changes. The other parameters are as in Choice."""
    made: str = field(default=default, metadata={"choice": (meaning, values, reader, told, sample)})
    return made


@frozen
class Settings:
    """A player's choices, each a word; the defaults suit most players."""

    subject: str = choice(
        "constant",
        "constant is the same in all emails of a board; turn adds whose turn it is, still within one conversation; "
        "classic ends with the player to move",
        ("constant", "turn", "classic"),
    )
    board: str = choice(
        "ascii",
        "how boards are drawn: in plain characters, in nicer ones, or told in words as for a screen reader",
        ("ascii", "unicode", "words"),
    )
    mail: str = choice(
        "both",
        "plain text; HTML, where boards keep their shape and moves are links; or both in every email",
        ("text", "html", "both"),
    )
    picture: str = choice(
        "turn",
        "whether a board in HTML comes with a drawn picture, too; turn is where you are to move or ask to see it",
        ("turn", "on", "off"),
    )
    timezone: str = choice(
        "UTC", "where you are; times in emails are told in it", reader=read_zone, told=_ZONES, sample="Europe/Berlin"
    )
    sleep: str = choice(
        OFF,
        "hours of your time zone in which your clock stands still, except in games that are strict",
        reader=read_sleep,
        told="off, or up to ten hours a night such as 23:00-07:00",
        sample="23:00-07:00",
    )
    weekend: str = choice(
        OFF,
        "days of the week on which your clock stands still, except in games that are strict",
        reader=read_weekend,
        told="off, one day such as sun, or two running such as sat-sun",
        sample="sat-sun",
    )
    digest: str = choice(
        OFF,
        "one email a day at this time with the boards where you are to move, in place of one for each move",
        reader=read_hour,
        told="off, or a time of day such as 08:00",
        sample="08:00",
    )
    remind: str = DEFAULT_LADDER
    """Chosen by a verb of its own."""
    hold: str = choice(
        OFF,
        "how long a move of yours waits before it is played, so that you can still cancel it",
        reader=read_hold,
        told="off, or a time from 1m to 24h",
        sample="10m",
    )
    broadcasts: str = choice("on", "whether you get what players write to all", ("on", "off"))
    receipts: str = choice("on", "whether a short email tells you that a move of yours was played", ("on", "off"))
    tournaments: str = choice("off", "whether you are told once a week which tournaments you can join", ("off", "on"))
    archive: str = choice(
        "on", "whether finished games of yours may be published as pages, under your userid", ("on", "off")
    )
    keepsake: str = choice(
        "on", "whether the whole game comes, as an animation and a file, when it has ended", ("on", "off")
    )
    bot: str = choice(
        "off",
        "whether a program plays for you: its games are not rated, and its emails may be marked as a program's",
        ("off", "on"),
    )
    challenges: str = choice(
        ANYONE,
        "who starts a game with you by a challenge: anyone; those known to you from a board or tournament, while "
        "others have to ask; nobody, for all have to ask; or none, and no challenge reaches you",
        (ANYONE, KNOWN, ASK, NONE),
    )
    puzzle: str = choice(
        OFF,
        f"whether a puzzle comes each day: in your digest or, without one, at {PUZZLE_HOUR} your time",
        (OFF, DAILY),
    )

    @property
    def daily_at(self) -> str:
        """The hour of the daily mail, a digest or a puzzle; OFF for none."""
        return PUZZLE_HOUR if self.digest == OFF and self.puzzle == DAILY else self.digest

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.timezone)

    @property
    def rests(self) -> Rests:
        """The hours of the week when the player's clocks do not run."""
        return Rests(self.timezone, self.sleep, self.weekend)

    @classmethod
    def chosen(cls, stored: Mapping[str, str]) -> Settings:
        """The player's stored choices, and the defaults for all others."""
        return cls(**{name: value for name, value in stored.items() if name in cls.__match_args__})

    def with_choice(self, name: str, value: str) -> Settings:
        """Raises: BadArguments, saying what may be chosen."""
        setting = choice_of(name)
        return replace(self, **{setting.name: setting.read(value)})


CHOICES = {item.name: Choice(item.name, *item.metadata["choice"]) for item in fields(Settings) if item.metadata}


def is_choice(words: Sequence[str]) -> bool:
    """Whether the words are exactly a setting and an allowed value.

    >>> [is_choice(words.split()) for words in ("digest 8am", "receipts off", "picture perfect", "digest")]
    [True, True, False, False]
    """
    try:
        return len(words) == 2 and bool(CHOICES[words[0].casefold()].read(words[1]))
    except (KeyError, BadArguments):
        return False


def choice_of(name: str) -> Choice:
    """The setting of this name, in any case. Raises: BadArguments, listing all settings."""
    choice = CHOICES.get(name.casefold())
    if choice is None:
        raise BadArguments(f'There is no setting "{name}". The settings are {", ".join(CHOICES)}.', "set")
    return choice
