"""The forms of a mail: text, HTML with a picture and links, and the part for programs.

The golden mails are in golden/mails, with each part decoded.
"""

from __future__ import annotations

import json
import random
import re
import struct
from collections.abc import Callable, Sequence
from email import message_from_bytes, policy
from itertools import islice
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import lxml.html
import pytest

from games import GAMES
from games.rules import Stepwise
from games.scene import GridBoard, HexBoard, PlaneBoard
from pbm.compose.pages import BOARD_KIND, MAX_MAIL, Sheet
from pbm.compose.views import View
from pbm.compose.wire import Parts, to_bytes
from pbm.core import decisions
from pbm.core.board import OpenBoard
from pbm.domain.match import State
from pbm.draw import picture
from pbm.draw.colours import Picture
from pbm.mailin import Robot
from pbm.reading.commands import board_of_subject
from pbm.server import Arriving, Settings
from tests.conversation import Got, House, address_of, password
from tests.games.variants import EACH, largest, opening, smallest
from tests.golden_file import FOLDER, hold
from tests.parts import Part, without_parts

CROSS = ("cross -size=3", ["C3"])


def both(new_house: Callable[..., House]) -> House:
    opened = new_house()
    for userid in ("alice", "bob"):
        opened.player(userid, "both")
    return opened


@pytest.fixture
def house(new_house: Callable[..., House]) -> House:
    """alice and bob, who get mails in all forms."""
    return both(new_house)


def small(name: str) -> tuple[str, list[str]]:
    """The words of a challenge for a game's smallest board, and two moves on it."""
    words = smallest(GAMES[name])
    return " ".join([name, *words]), opening(GAMES[name], words, 2)


def links(got: Got) -> list[tuple[str, str]]:
    """The links in a mail's HTML: the words shown and the URL."""
    page = lxml.html.fromstring(got.part("text/html"))
    return [(anchor.text_content(), anchor.get("href")) for anchor in page.iter("a")]


def opened(url: str) -> tuple[str, str, str]:
    """The address, the subject and the text that a mail program makes of a mailto link."""
    parts = urlsplit(url)
    assert parts.scheme == "mailto"
    assert "+" not in url, "some programs read it as a blank"
    fields = {name: values[0] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
    return unquote(parts.path), fields["subject"], fields.get("body", "")


def click(house: House, userid: str, url: str) -> list[Got]:
    address, subject, body = opened(url)
    return house.send(userid, subject, body, to=address)


def moves_linked(got: Got) -> set[str]:
    """The moves that the links play: on a large board, a move is the subject of the mail that opens."""
    return {text or subject for _, subject, text in (opened(url) for _, url in links(got))}


def state_of(words: str, moves: list[str]) -> State:
    name, *options = words.split()
    state = State.start(GAMES[name], options)
    for move in moves:
        state, _ = state.play(move)
    return state


def legal(state: State) -> set[str]:
    return {state.game.notate(state.position, move) for move in state.game.moves(state.position)}


def starts(state: State) -> set[str]:
    """The beginnings of moves, in games where touching a cell only begins one."""
    return set(state.game.beginnings(state.position).values()) if isinstance(state.game, Stepwise) else set()


def last_of(house: House, userid: str) -> Got:
    return house.mailboxes[address_of(userid)][-1]


@pytest.fixture(scope="session")
def seen() -> dict[str, Got]:
    """Mails that tests only look at, by game."""
    return {}


@pytest.fixture
def shown(seen: dict[str, Got], new_house: Callable[..., House]) -> Callable[[str], Got]:
    """The mail to the player to move on a game's smallest board, in all forms; it is made once."""

    def show(name: str) -> Got:
        if name not in seen:
            seen[name] = mover(both(new_house), *small(name))
        return seen[name]

    return show


def mover(house: House, words: str, moves: list[str]) -> Got:
    """The last mail to the player to move."""
    house.game(f"{words} alice bob", moves)
    return last_of(house, ("alice", "bob")[len(moves) % 2])


def laid_out(got: Got) -> str:
    """A mail with its parts decoded, as golden files hold it; a picture is told by its size, not its bytes."""
    out = [got.raw.partition(b"\r\n\r\n")[0].decode().replace("\r\n", "\n"), ""]
    for part in got.parsed.walk():
        if part.is_multipart():
            continue
        payload = part.get_payload(decode=True)
        assert isinstance(payload, bytes)
        shown = {name: value for name, value in part.items() if name != "Content-Transfer-Encoding"}
        out += [f"== {name}: {value}" for name, value in shown.items()]
        size = "a picture of {} x {}".format(*struct.unpack(">II", payload[16:24]))
        out += ["", size if part.get_content_maintype() == "image" else payload.decode().replace("\r\n", "\n"), ""]
    told = "\n".join(line.rstrip() for line in out).rstrip("\n") + "\n"
    return re.sub(r"(cid:|Content-ID: <)[0-9a-f]{20}@", r"\1PICTURE@", told)


@pytest.mark.golden
@pytest.mark.parametrize("path", sorted((FOLDER / "mails").glob("*.txt")), ids=lambda path: path.stem)
def test_a_board_mail_reads_as_it_is_written(path: Path, house: House, parts: Sequence[Part]) -> None:
    """The first line of the file holds the words of the challenge and, after a colon, the moves.

    Only the mail of Cross shows what golden/parts.txt names, for text and HTML, in full.
    """
    words, _, moves = path.read_text(encoding="utf-8").partition("\n")[0].partition(":")
    said = laid_out(mover(house, words, moves.split()))
    if path.stem != "cross":
        said = without_parts(said, parts)
    hold(path, f"{words}:{moves}\n\n{said}")


@pytest.mark.parametrize("name", EACH)
def test_every_move_is_a_link_that_plays_it(name: str, house: House) -> None:
    words, moves = small(name)
    got = mover(house, words, moves)
    state = state_of(words, moves)
    linked, begun = moves_linked(got), starts(state)
    unlinked = {move for move in legal(state) - linked if ";" not in move}  # turns have a link for each of their moves
    assert all(any(move.startswith(start) for start in begun & linked) for move in unlinked)
    assert linked <= legal(state) | begun | {"swap"}
    shown, url = next((shown, url) for shown, url in links(got) if opened(url)[2] in legal(state))
    replies = click(house, ("alice", "bob")[len(moves) % 2], url)
    assert f"played {opened(url)[2]}." in " ".join(replies[-1].body.split()), shown
    assert not any(reply.refuses for reply in replies)


@pytest.mark.parametrize("name", GAMES)
def test_links_are_short_and_go_to_the_address_of_the_token(name: str, shown: Callable[[str], Got]) -> None:
    got = shown(name)
    source = got.part("text/html")
    for _, url in links(got):
        assert len(url) < 500
        assert opened(url)[0] == got["Reply-To"]
        assert opened(url)[1] == "Re: 101"
    assert not re.findall(r"&(?!amp;|#|lt;|gt;|quot;)", source)


@pytest.mark.parametrize("name", [name for name in GAMES if isinstance(GAMES[name], Stepwise)])
def test_a_cell_from_which_one_can_move_opens_its_move_or_the_beginning_of_one(name: str, house: House) -> None:
    words, moves = " ".join([name, *largest(GAMES[name])]), opening(GAMES[name], largest(GAMES[name]), 2)
    got = mover(house, words, moves)
    state, linked = state_of(words, moves), moves_linked(got)
    every = {state.game.notate(state.position, move) for move in state.game.moves(state.position)}
    assert all(any(move.startswith(start) for start in starts(state) & linked) for move in every - linked)
    for start in starts(state):
        fitting = [move for move in every if move.startswith(start)]
        assert fitting == [start] or (len(fitting) > 1 and start not in every)
    assert len(got.raw) < 60_000
    unfinished = next((start for start in starts(state) & linked if start not in every), None)
    if unfinished:
        (reply,) = house.answer(("alice", "bob")[len(moves) % 2], unfinished, 101)
        assert reply.refuses, "what only begins a move is asked for again, never guessed"


def test_a_stone_that_falls_has_a_link_on_the_square_where_it_comes_to_rest(house: House) -> None:
    source = mover(house, "four", ["d", "d"]).part("text/html")
    assert len(lxml.html.fromstring(source).xpath("//td[@bgcolor]/a")) == 7
    assert "complete the move" not in source
    assert "Moves:" not in source


def test_only_places_that_may_be_played_have_dots(house: House) -> None:
    page = lxml.html.fromstring(mover(house, "reversi", ["d3"]).part("text/html"))
    dots = page.xpath("//td[normalize-space()='\u00b7']")
    assert len(dots) == 3, "those for White after d3"
    assert all(cell.xpath("./a") for cell in dots)
    full = mover(house, "luddit -size=5 -stones=3", ["C3", "E5", "A1"])
    assert not lxml.html.fromstring(full.part("text/html")).xpath("//td[normalize-space()='\u00b7']")


def test_an_amazon_has_a_link_and_a_pass_of_go_has_one(house: House) -> None:
    house.game("amazons -size=10 alice bob")
    linked = moves_linked(last_of(house, "alice"))
    assert {"d1-", "g1-", "a4-", "j4-"} <= linked
    assert len(linked) < 10, "not one of two thousand first moves, but examples"
    house.game("go -size=9 alice bob")
    assert "pass" in moves_linked(last_of(house, "alice"))


def test_only_who_is_to_move_has_links_to_moves(house: House) -> None:
    house.game("cross -size=4 alice bob", ["D4"])
    assert "A1" in moves_linked(last_of(house, "bob"))
    assert not links(last_of(house, "alice"))
    house.player("carol", "both")
    (got,) = house.send("carol", "cross show 101 ")
    assert not links(got)
    (got,) = house.send("bob", "cross showas bob bobpass 101#0")
    assert "A1" not in {shown for shown, _ in links(got)}, "an earlier position is only looked at"


def test_each_gets_the_form_they_have_chosen_and_the_text_is_the_same_in_all(new_house: Callable[..., House]) -> None:
    kinds, texts = {}, {}
    for form in ("text", "html", "both"):
        house = new_house()
        house.player("alice", form)
        house.player("bob", form)
        got = mover(house, *CROSS)
        kinds[form] = [part.get_content_type() for part in got.parsed.walk()]
        texts[form] = got.body
        (answer,) = house.send("alice", "games alice")
        assert answer.parsed.is_multipart() == (form == "both")
    rich, forms = ["multipart/related", "multipart/alternative"], [BOARD_KIND, "text/html", "image/png"]
    assert kinds["text"] == ["text/plain"]
    assert kinds["both"] == [*rich, "text/plain", *forms]
    assert kinds["html"] == kinds["both"]
    assert texts["both"] == texts["html"] == texts["text"]


def test_pictures_come_by_default(house: House) -> None:
    with house.service.store.write() as tx:
        for name in ("alice", "bob"):
            player = tx.players.find(name)
            assert player is not None
            tx.players.save_settings(player.id, {})
    assert "image/png" in mover(house, *CROSS).forms


def test_who_is_not_to_move_gets_a_picture_only_if_they_ask(house: House) -> None:
    """Spam filters mistrust a big picture beside few words."""
    with house.service.store.write() as tx:
        for name in ("alice", "bob"):
            player = tx.players.find(name)
            assert player is not None
            tx.players.save_settings(player.id, {})
    board = house.game("cross alice bob")
    mails = {got.address: got for got in house.answer("alice", "D4", board)}
    assert "image/png" in mails["bob@example.net"].forms
    assert "image/png" not in mails["alice@example.net"].forms
    assert len(mails["alice@example.net"].body.split()) > 20
    (shown,) = house.answer("alice", "show", board)
    assert "image/png" in shown.forms


def test_pictures_come_to_who_wants_them(house: House) -> None:
    house.send("bob", "set bob bobpass picture off")
    got = mover(house, *CROSS)
    assert [part.get_content_type() for part in got.parsed.walk()][1:] == ["text/plain", BOARD_KIND, "text/html"]
    assert not lxml.html.fromstring(got.part("text/html")).xpath("//img")
    assert "A1" in moves_linked(got)


@pytest.mark.parametrize("name", GAMES)
def test_a_phone_shows_the_board_of_a_subject_and_whose_turn_it_is(name: str, house: House) -> None:
    """Whatever the game is called, and however long the names are; an answer's subject is understood."""
    one, two = "Wolfeschlegelsteinhausen", "Bartholomew-Featherstone"
    house.players(one, two)
    house.send(two, f"set {two} {two}pass subject turn")
    house.game(f"{name} {one} {two}")
    constant, turn = (last_of(house, userid)["Subject"] for userid in (one, two))
    assert "Board 101" in constant[:35]
    assert f": {one}'s turn, {one}-{two}" in turn
    assert "Board 101: " in turn[:35]
    assert board_of_subject(constant) == board_of_subject(turn) == 101


@pytest.mark.parametrize("words", ["help cross", "hello", "signup ann", "cross show 101", "go show 102"])
def test_a_stranger_gets_text_and_html_without_pictures_or_anything_large(words: str, house: House) -> None:
    mover(house, *CROSS)
    house.game("go alice bob")
    (got,) = house.send("somebody@example.com", words)
    assert [form for form in got.forms if form != BOARD_KIND] == ["text/plain", "text/html"]
    assert len(got.raw) < 20_000


def test_a_letter_comes_in_the_form_its_reader_has_chosen(house: House) -> None:
    for form, forms in (("text", ["text/plain"]), ("html", ["text/html"]), ("both", ["text/plain", "text/html"])):
        house.player(f"{form}1", form)
        house.send("alice", f"message alice alicepass {form}1", "Hello!")
        assert last_of(house, f"{form}1").forms == forms


def test_what_players_write_is_escaped_and_never_a_link(house: House) -> None:
    house.game("cross -size=3 alice bob", [])
    evil = '<script>alert("x")</script> <a href="https://evil.example">A1</a> &amp;\n\n  resign\n\n\x1a0000-0\x1a'
    house.send("alice", "cross move 101 alice alicepass C3", evil)
    got = last_of(house, "bob")
    page = lxml.html.fromstring(got.part("text/html"))
    assert not page.xpath("//script")
    assert all(url.startswith("mailto:pbm%2B") for _, url in links(got))
    assert "<script>" in page.text_content()
    assert "resign" not in [shown for shown, _ in links(got)]
    assert "Content-Type: text/html" not in got.part("text/html")


def test_html_keeps_drawings_in_letters_of_equal_width(house: House) -> None:
    """As Gmail and Outlook are known to need it: pre in a cell, inline styles, both colours named."""
    got = mover(house, *small("crossgeo"))
    page = lxml.html.fromstring(got.part("text/html"))
    (board,) = [pre for pre in page.xpath("//table//td/pre") if "+" in pre.text_content()]
    style = board.get("style")
    for rule in ("monospace", "font-size:1", "line-height:1.2", "color:#111111", "background:#ffffff", "pre-wrap"):
        assert rule in style
    assert max(map(len, board.text_content().splitlines())) <= 50


@pytest.mark.parametrize("name", GAMES)
def test_html_has_neither_styles_of_its_own_nor_scripts(name: str, shown: Callable[[str], Got]) -> None:
    page = lxml.html.fromstring(shown(name).part("text/html"))
    assert not page.xpath("//style | //link | //script | //svg | //*[contains(@src, 'data:')]")


def places(state: State) -> set[str]:
    """The names of the cells and lines on a board with cells."""
    board = state.game.scene(state.position, state.last).board
    if isinstance(board, PlaneBoard):
        return set()
    joins = board.joins if isinstance(board, GridBoard) else ()
    return {cell.name for cell in board.cells} | {join.name for join in joins}


def played_on_places(name: str) -> bool:
    state = state_of(*small(name))
    return not legal(state).isdisjoint(places(state))


@pytest.mark.parametrize("name", [name for name in GAMES if played_on_places(name)])
def test_every_cell_that_may_be_played_is_a_link_as_large_as_the_cell(name: str, shown: Callable[[str], Got]) -> None:
    page = lxml.html.fromstring(shown(name).part("text/html"))
    cells = {opened(anchor.get("href"))[2]: anchor for anchor in page.xpath("//td/a")}
    state = state_of(*small(name))
    assert legal(state) & places(state) == {word for word in cells if word in places(state)}
    for word, anchor in cells.items():
        style = anchor.get("style")
        assert "display:block" in style
        assert pixels("line-height", style) >= (20 if "-" in word else 32)  # a line between points is narrower


def pixels(name: str, style: str) -> int:
    found = re.search(rf"{name}:(\d+)px", style)
    assert found is not None
    return int(found[1])


@pytest.mark.parametrize("name", GAMES)
def test_no_line_of_equal_letters_is_wider_than_a_phone(name: str, shown: Callable[[str], Got]) -> None:
    """Unless its letters are small and it may be broken."""
    page = lxml.html.fromstring(shown(name).part("text/html"))
    for pre in page.xpath("//pre"):
        size = pixels("font-size", pre.get("style"))
        widest = max(map(len, pre.text_content().splitlines()))
        assert widest * size * 0.6 < 343 or (size == 11 and "pre-wrap" in pre.get("style"))


def test_a_link_opens_an_answer_whose_lines_end_as_in_emails(house: House) -> None:
    board = house.game("cross -size=4 alice bob")
    got = house.answer("alice", "preview D3 D4 E3 B3 B4", board)[-1]
    assert "body=D3%0D%0Aif%20D4%3A%20E3%2C%20then%0D%0Aif%20B3%3A%20B4" in got.part("text/html")


def test_the_picture_is_found_sized_and_described(house: House) -> None:
    got = mover(house, *CROSS)
    (image,) = lxml.html.fromstring(got.part("text/html")).xpath("//img")
    (part,) = [part for part in got.parsed.walk() if part.get_content_type() == "image/png"]
    assert image.get("src") == "cid:" + part["Content-ID"].strip("<>")
    data = part.get_payload(decode=True)
    assert isinstance(data, bytes)
    assert struct.unpack(">II", data[16:24]) == (int(image.get("width")), int(image.get("height")))
    told = " ".join(image.get("alt").split())
    assert told.startswith("Row A: A1 to A3 free.")
    assert "C3 O, the last move" in told
    assert "background:#ffffff" in image.get("style")


@pytest.mark.parametrize(("words", "pictures"), [("-edges=35 -seed=2", 4), ("-edges=80 -seed=2", 2)])
def test_the_boards_of_a_review_have_as_many_pictures_as_fit(words: str, pictures: int) -> None:
    options = ["-board=random", *words.split()]
    record = opening(GAMES["crossgeo"], options, 100)
    states = [state_of(" ".join(["crossgeo", *options]), record[: len(record) * at // 5]) for at in range(5)]
    sheet = Sheet("both", "example.org", boards=len(states))
    drawn = sheet.drawings([View(state, lists=False) for state in states], "ascii")
    body = sheet.body("\n".join(drawn), "a review")
    assert isinstance(body, Parts)
    assert len(body.parts) - 1 == pictures
    assert len(to_bytes({}, body)) <= MAX_MAIL


def test_a_picture_is_rendered_once_for_both_players(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    rendered = []
    real = picture.drawn

    def counted(board: HexBoard | GridBoard | PlaneBoard) -> Picture:
        rendered.append(board)
        return real(board)

    house.game("cross -size=5 alice bob", ["E5"])
    monkeypatch.setattr(picture, "drawn", counted)
    assert len(house.answer("bob", "A2", 101)) == 2
    assert len(rendered) == 1


def test_the_part_for_programs_tells_the_board_and_no_secrets(house: House) -> None:
    house.game("loops -size=3 alice bob", ["A1", "B1"])
    got = last_of(house, "alice")
    text = got.part(BOARD_KIND)
    data = json.loads(text)
    assert data["format"] == 2
    assert data["you"] == {"seat": 1, "answer_to": got["Reply-To"]}
    assert (data["why"], data["events"], data["error"]) == ("event", ["MovePlayed"], None)
    assert (data["board"], data["game"], data["options"]) == (101, "loops", ["-size=3"])
    assert data["players"] == [{"userid": "alice", "side": "Yellow"}, {"userid": "bob", "side": "Purple"}]
    assert data["record"] == [{"seat": 1, "move": "A1"}, {"seat": 2, "move": "B1"}]
    assert data["turn"] == {"seat": 1, "ply": 3, "revision": 2}
    assert set(data["moves"]) == legal(state_of("loops -size=3", ["A1", "B1"]))
    assert data["moves_cut"] is False
    assert data["position"]["pieces"] == {"Y": ["A1"], "P": ["B1"]}
    assert data["position"]["last"] == ["B1"]
    assert data["result"] is None
    (shown,) = house.answer("bob", "show", 101)
    other = json.loads(shown.part(BOARD_KIND))
    own = ("you", "events", "comments", "why", "error")
    assert {name: value for name, value in data.items() if name not in own} == {
        name: value for name, value in other.items() if name not in own
    }
    assert text.count("@") == 1


def test_the_part_for_programs_tells_why_a_move_was_refused_and_what_would_do(house: House) -> None:
    house.game("loops -size=3 alice bob", ["A1"])
    house.answer("bob", "propose draw", 101)
    (got,) = house.answer("bob", "A1", 101)
    data = json.loads(got.part(BOARD_KIND))
    assert data["why"] == "refused"
    assert data["error"]["sentence"].startswith("Not played: ")
    assert set(data["error"]["candidates"]) <= set(data["moves"])
    assert data["offers"] == [{"kind": "draw", "seat": 2}]
    assert data["rated"] is True


def test_the_part_for_programs_tells_what_some_games_do_not_draw(house: House) -> None:
    house.game("luddit -size=5 alice bob", ["C3"])
    data = json.loads(last_of(house, "bob").part(BOARD_KIND))
    assert (data["moves"], data["moves_cut"]) == ([], True)
    assert data["details"]["turn"]["place"] is True
    assert "C3" not in data["details"]["turn"]["free"]
    house.game("crossgeo alice bob")
    shown = json.loads(last_of(house, "alice").part(BOARD_KIND))["details"]
    crossed = {two if one == 1 else one for one, two in shown["crossings"] if 1 in (one, two)}
    house.answer("alice", "1", 102)
    left = json.loads(last_of(house, "bob").part(BOARD_KIND))["details"]["edges"]
    assert {edge["edge"] for edge in shown["edges"]} - {edge["edge"] for edge in left} == {1, *crossed}
    house.game("polygon alice bob", ["A-C"])
    assert json.loads(last_of(house, "bob").part(BOARD_KIND))["details"]["here"] == "C"


def test_the_part_for_programs_tells_the_result(house: House) -> None:
    house.game("cross -size=3 alice bob", ["C3", "A1"])
    house.answer("alice", "resign!", 101)
    data = json.loads(last_of(house, "bob").part(BOARD_KIND))
    assert data["turn"] is None
    assert data["moves"] == []
    assert data["result"]["winner"] == 2
    assert data["result"]["ending"] == "resigned"


CROSSING = "\n".join(f"0,{2 * place} 999,{2 * place + 1}" for place in range(100)) + "\n" + "\n".join(
    f"{9 * place + 5},0 {9 * place + 6},999" for place in range(100)
)  # fmt: skip
LARGEST = {
    **{name: (" ".join([name, *largest(game)]), "") for name, game in GAMES.items()},
    "crossgeo, edges at random": ("crossgeo -board=random -edges=200 -seed=3", ""),
    "crossgeo, where every edge takes a hundred along": ("crossgeo", CROSSING),
}


@pytest.mark.parametrize(("words", "plies"), [("cross -size=10", 80), ("go -size=19", 30), ("hex -size=17", 30)])
def test_the_picture_of_a_large_board_leaves_room_to_touch_every_place(words: str, plies: int, house: House) -> None:
    name, *options = words.split()
    moves = opening(GAMES[name], options, plies)
    number = house.game(f"{words} alice bob")
    with house.service.store.write() as tx:
        board = OpenBoard.load(tx, house.service.tools.states, number)
        for move in moves[:-1]:
            decisions.play_ply(board, board.state.to_move, move)
    there, here = ("alice", "bob") if plies % 2 else ("bob", "alice")
    house.answer(there, moves[-1], number)
    got = last_of(house, here)
    assert len(got.raw) < MAX_MAIL
    assert moves_linked(got) >= legal(state_of(words, moves)) - {"swap"}
    (shown,) = (part for part in got.parsed.walk() if part.get_content_maintype() == "image")
    payload = shown.get_payload(decode=True)
    assert isinstance(payload, bytes)
    assert struct.unpack(">I", payload[16:20])[0] >= 250


@pytest.mark.parametrize("case", LARGEST)
@pytest.mark.parametrize("style", ["ascii", "words"])
def test_mails_of_the_largest_boards_are_no_larger_than_a_mail_should_be(
    case: str, style: str, new_house: Callable[..., House]
) -> None:
    """With long names, because every link repeats them."""
    domain = "a-rather-long-name.of-a-server.example.org"
    house = new_house(Settings(Robot("play-by-mail", domain)))
    words, body = LARGEST[case]
    players = ["a" * 20, "b" * 20]
    for userid in players:
        house.player(userid)
        with house.service.store.write() as tx:
            player = tx.players.find(userid)
            assert player is not None
            tx.players.save_settings(player.id, {"mail": "both", "picture": "on", "board": style})
    game, *options = words.split()
    robot = f"play-by-mail@{domain}"
    login = [players[0], password(players[0])]
    house.send(players[0], " ".join([game, "challenge", *options, *players, *login]), body, to=robot)
    mails = [last_of(house, userid) for userid in players]
    for got in mails:
        assert not got.refuses, got.text
        assert len(got.raw) < MAX_MAIL, {part.get_content_type(): len(part.as_bytes()) for part in got.parsed.walk()}
    assert any(map(links, mails)), "whoever begins"


def test_an_answer_that_quotes_our_html_is_read(house: House) -> None:
    """A mail with HTML alone and ours below, with no sign of a quote but our own words."""
    got = mover(house, "cross -size=4", ["D4"])
    ours = re.sub(r"(?s).*<body[^>]*>|</body>.*", "", got.part("text/html"))
    head = (
        f"From: bob@example.net\r\nTo: {got['Reply-To']}\r\nSubject: Re: {got['Subject']}\r\n"
        "Message-ID: <html-1@example.net>\r\nMIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
    )
    raw = (head + f"<html><body><div>C4</div><div>Nice!</div><hr>{ours}</body></html>").encode()
    replies = house.deliver(Arriving("bob@example.net", (got["Reply-To"],), raw))
    assert len(replies) == 2
    assert "bob played C4." in last_of(house, "alice").body
    assert "Nice!" in last_of(house, "alice").body
    assert "To play" not in last_of(house, "alice").body


def test_the_links_of_test_display_are_commands(house: House) -> None:
    (got,) = house.send("alice", "test display alice alicepass")
    found = dict(links(got))
    assert list(found) == ["set mail both", "set picture on", "set mail text", "set mail html", "set board words"]
    for shown, url in found.items():
        (answer,) = click(house, "alice", url)
        _, name, value = shown.split()
        assert f"{name} is now {value}." in answer.body


@pytest.mark.parametrize("name", GAMES)
def test_mail_programs_find_no_fault_with_the_parts(name: str, shown: Callable[[str], Got]) -> None:
    got = shown(name)
    parsed = message_from_bytes(got.raw, policy=policy.default)
    assert not [defect for part in parsed.walk() for defect in part.defects]
    preferred = parsed.get_body(("html", "plain"))
    assert preferred is not None
    assert preferred.get_content_type() == "text/html"
    encodings = {part["Content-Transfer-Encoding"] for part in parsed.walk() if not part.is_multipart()}
    assert encodings <= {"7bit", "quoted-printable", "base64"}


@pytest.mark.parametrize(("choice", "drawn"), [("on", True), ("off", False)])
def test_pictures_come_however_much_waits(house: House, choice: str, *, drawn: bool) -> None:
    for userid in ("alice", "bob"):
        house.send(userid, f"set {userid} {userid}pass mail both")
        house.send(userid, f"set {userid} {userid}pass picture {choice}")
    board = house.game("cross -size=4 alice bob")
    house.service.accept([house.mail("alice", f"cross show {board}") for _ in range(9)])
    while house.service.handle():
        pass
    got = house.collect()
    assert len(got) == 9
    assert all(("image/png" in each.forms) == drawn for each in got)


def test_places_that_find_no_room_for_a_link_are_told_of(house: House) -> None:
    got = mover(house, "hex -size=19", [])
    told = lxml.html.fromstring(got.part("text/html")).text_content()
    assert 150 < len(moves_linked(got)) < 19 * 19
    assert "Where a place opens none, answer with its name." in told
    assert "Or:" not in told


def late(house: House, name: str, plies: int) -> tuple[int, int]:
    """A largest board after random plies, fewer if one would end the game: its number, and the seat to move."""
    number, dice = house.game(" ".join([name, *largest(GAMES[name]), "alice", "bob"])), random.Random(1)
    with house.service.store.write() as tx:
        board = OpenBoard.load(tx, house.service.tools.states, number)
        for _ in range(plies):
            state = board.state
            move = state.game.notate(state.position, dice.choice(list(islice(state.game.moves(state.position), 300))))
            if state.play(move)[0].outcome is not None:
                break
            decisions.play_ply(board, state.to_move, move)
        return number, board.state.to_move


@pytest.mark.parametrize("name", EACH)
def test_no_mail_of_a_long_game_is_large_whatever_is_written_with_it(name: str, house: House) -> None:
    """Not even with a long message in letters of many octets, nor with the film of the whole game."""
    number, mover = late(house, name, 80)
    here, there = ("alice", "bob") if mover == 1 else ("bob", "alice")
    house.collect()
    much = "\n".join(["\u6211" * 60] * 60)
    got = [
        *house.answer(here, "show", number),
        *house.answer(there, f"say\n{much}", number),
        *house.answer(here, f"move zz99\n{much}", number),
        *house.answer(here, f"resign!\n{much}", number),
        *house.think(),
    ]
    assert sum("image/gif" in each.forms for each in got) == 2
    assert max(len(each.raw) for each in got) < MAX_MAIL
