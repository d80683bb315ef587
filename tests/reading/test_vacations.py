"""Vacations: how their days are written, and how many days of a year they take."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from pbm.domain.calendars import check_allowance, days_taken
from pbm.domain.errors import BadArguments
from pbm.domain.spans import DAY
from pbm.reading.dates import read_vacation

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")


def day(month: int, number: int, year: int = 2026, hour: int = 0) -> datetime:
    return datetime(year, month, number, hour, tzinfo=BERLIN)


OVER_NEW_YEAR = (
    "20.12. - 3.1.", "20.12.-3.1.", "20.12-3.1", "20. 12. - 3. 1.", "20.12.2026 - 3.1.", "20.12. - 3.1.2027",
    "20 Dec - 3 Jan", "20 Dec \N{EN DASH} 3 Jan", "Dec 20 to Jan 3", "Dec. 20th to Jan. 3rd", "December 20 - January 3",
    "from 20 December until 3 January", "from the 20th of December 2026 to 3 January 2027", "20dec 3jan",
    "December 20, 2026 - January 3, 2027", "vom 20. Dezember bis 3. Januar",
)  # fmt: skip
IN_DECEMBER = ("20.-27.12.", "20-27 Dec", "20 to 27 December", "Dec 20-27", "December 20th to 27th")


@pytest.mark.parametrize(
    ("words", "start", "end"),
    [
        ("2w", day(3, 1, hour=13), day(3, 15, hour=13)),
        ("from 2026-03-20 to 2026-04-01", day(3, 20), day(4, 2)),
        ("20.03.2026 - 01.04.2026", day(3, 20), day(4, 2)),
        ("tomorrow 3d", day(3, 2), day(3, 5)),
        ("now 2026-03-02", day(3, 1, hour=13), day(3, 3)),
        ("2026-03-01 2026-03-02", day(3, 1, hour=13), day(3, 3)),
        ("2026-03-28 2d", day(3, 28), day(3, 30)),
        ("until Friday", day(3, 1, hour=13), day(3, 7)),
        ("until Sunday", day(3, 1, hour=13), day(3, 9)),
        ("from Monday to Friday", day(3, 2), day(3, 7)),
        ("Friday to Monday", day(3, 6), day(3, 10)),
        ("tomorrow for 2 weeks", day(3, 2), day(3, 16)),
        *((words, day(12, 20), day(1, 4, 2027)) for words in OVER_NEW_YEAR),
        *((words, day(12, 20), day(12, 28)) for words in IN_DECEMBER),
        ("20 Feb - 10 March", day(3, 1, hour=13), day(3, 11)),
        ("next week", day(3, 2), day(3, 9)),
        ("nächste Woche", day(3, 2), day(3, 9)),
        ("nächstes Wochenende", day(3, 7), day(3, 9)),
        ("next weekend", day(3, 7), day(3, 9)),
        ("Fri to Mon", day(3, 6), day(3, 10)),
        ("bis Freitag", day(3, 1, hour=13), day(3, 7)),
        ("until next Friday", day(3, 1, hour=13), day(3, 7)),
        ("for two weeks", day(3, 1, hour=13), day(3, 15, hour=13)),
        ("for a week", day(3, 1, hour=13), day(3, 8, hour=13)),
        ("until January 3", day(3, 1, hour=13), day(1, 4, 2027)),
        ("until 3.4.", day(3, 1, hour=13), day(4, 4)),
        ("20 Dec for 2 weeks", day(12, 20), day(1, 3, 2027)),
        ("20.12. 2w", day(12, 20), day(1, 3, 2027)),
        ("1 Feb - 10 Feb", day(2, 1, 2027), day(2, 11, 2027)),
        ("tomorrow - 9 March", day(3, 2), day(3, 10)),
        ("1 March to 9 March", day(3, 1, hour=13), day(3, 10)),
    ],
)
def test_vacations_are_read_in_the_zone_of_the_player(words: str, start: datetime, end: datetime) -> None:
    assert read_vacation(words, BERLIN, START) == (start, end)


@pytest.mark.parametrize(
    "words",
    [
        *("2026-02-20 2026-03-20", "soon 2d", "1h", "2026-03-20 2026-03-10", "2028-01-01 2d", "a b c", "2026-02-30 3d"),
        *("12/20 - 1/3", "31.2. - 5.3.", "3 marvellous weeks", "2w 20.12.", "from 20.12.", "on Friday", "F6", ""),
        *(
            "2026-02-20 - 10 March",
            "last week",
            "10 March - 5 March",
            "9999-12-31",
            "0000-01-01 2d",
            "00.00. 2d",
            "1 2 3",
        ),
        *("20.13. - 3.14.", "3", "20 27", "20-27", "20 Dec 10", "20 to 2w", "until 5", "Dec 20-2w 3d"),
    ],
)
def test_vacations_that_are_none(words: str) -> None:
    with pytest.raises(BadArguments):
        read_vacation(words, BERLIN, START)


def test_a_vacation_takes_of_each_year_what_lies_in_it() -> None:
    taken = days_taken([(day(12, 25), day(1, 4, 2027)), (day(3, 28), day(3, 30))], BERLIN)
    assert taken == {2026: 9 * DAY, 2027: 3 * DAY}
    check_allowance((day(7, 1), day(7, 22)), [(day(12, 25), day(1, 4, 2027)), (day(3, 28), day(3, 30))], BERLIN, 30)
    with pytest.raises(BadArguments, match="takes 22 days of 2026; you have 21 days left"):
        check_allowance((day(7, 1), day(7, 23)), [(day(12, 25), day(1, 4, 2027)), (day(3, 28), day(3, 30))], BERLIN, 30)
