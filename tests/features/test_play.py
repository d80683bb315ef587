"""A running board: queued and submitted moves, offers, resignations, and who is told of what."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from pbm.domain.mail import RemarkKind
from tests.conversation import Got, House, address_of, password


def said(house: House, userid: str, words: str, text: str = "") -> list[Got]:
    """Send a command with a login, in the place of {} in the words."""
    return house.send(userid, words.format(f"{userid} {password(userid)}"), text)


def moves(house: House, board: int = 101) -> list[str]:
    with house.service.store.read() as tx:
        match = tx.matches.load(board)
        assert match is not None
        return [f"{ply.notation}{'*' if ply.auto else ''}" for ply in match.record]


def intents(house: House, board: int = 101) -> list[str]:
    with house.service.store.read() as tx:
        return [f"{intent.kind} {intent.seat} {intent.text}".strip() for intent in tx.intents.of(board)]


def one(mails: list[Got]) -> str:
    """The text of the only mail, in one line."""
    (got,) = mails
    return " ".join(got.body.split())


def test_queued_moves_answer_each_other(table: House) -> None:
    said(table, "alice", "cross queue 101 {} C3")
    assert intents(table) == ["queue 1 C3"]
    table.answer("bob", "D5", 101)
    assert moves(table) == ["D4", "D5", "C3*"]
    assert intents(table) == []
    said(table, "alice", "cross queue 101 {} C4#5")
    mails = table.answer("bob", "queue D6", 101)
    assert moves(table) == ["D4", "D5", "C3*", "D6", "C4*"]
    assert {got.address for got in mails} == {"alice@example.net", "bob@example.net"}


def test_the_newest_queued_move_counts_and_none_drops_it(table: House) -> None:
    said(table, "alice", "cross queue 101 {} C3")
    said(table, "alice", "cross boardq 101 {} c-4")
    assert intents(table) == ["queue 1 C4"]
    said(table, "alice", "cross queue 101 {} cancel")
    assert intents(table) == []
    assert "You have queued no move" in one(said(table, "alice", "cross queue 101 {} none"))


def test_a_queued_edge_is_a_number_however_it_is_written(house: House) -> None:
    """Edge 1 is not legal after the move that stands for alice's, so it is only read when it is queued."""
    for userid in ("alice", "bob"):
        house.player(userid)
    house.game("crossgeo alice bob")
    assert "1 is queued." in one(house.answer("bob", "queue #1"))
    house.answer("alice", "17", 101)
    assert moves(house) == ["17", "1*"]


def test_a_queued_move_that_has_become_illegal_is_dropped_and_only_its_owner_told(table: House) -> None:
    said(table, "alice", "cross queue 101 {} C3")
    for got in table.answer("bob", "C3", 101):
        assert ("C3 was dropped" in got.body) == (got.address == "alice@example.net")
    assert moves(table) == ["D4", "C3"]
    assert intents(table) == []


def test_a_queued_move_is_for_its_ply_only(table: House) -> None:
    assert "your next ply is 3, not 5" in one(said(table, "alice", "cross queue 101 {} C3#5"))
    said(table, "alice", "cross queue 101 {} C3#3")
    table.answer("bob", "swap", 101)
    assert moves(table) == ["D4", "swap", "C3*"]


@pytest.mark.parametrize("words", ["hello there", "A9999999", "pass", "swap"])
def test_what_cannot_be_read_is_not_queued(table: House, words: str) -> None:
    mails = said(table, "alice", f"cross queue 101 {{}} {words}")
    assert mails[0].refuses or words == "A9999999"
    assert intents(table) == ([] if mails[0].refuses else [f"queue 1 {words}"])


def test_nobody_else_sees_what_is_queued(table: House) -> None:
    table.player("carol")
    said(table, "carol", "cross subscribe 101 {}")
    (queued,) = said(table, "alice", "cross queue 101 {} C3")
    assert queued.address == "alice@example.net"
    for mail in (*said(table, "bob", "cross show 101"), *said(table, "carol", "cross showas {} 101")):
        assert "C3" not in mail.body
    assert "C3" in one(said(table, "alice", "cross showas {} 101"))
    assert "C3" not in one(said(table, "alice", "cross show 101"))  # nothing proves that this is alice


def test_a_resignation_waits_for_its_turn_and_can_be_taken_back(table: House) -> None:
    table.answer("bob", "D5", 101)
    said(table, "bob", "cross resign 101 {}")
    assert intents(table) == ["resign 2"]
    said(table, "bob", "cross move 101 {} resign")
    assert intents(table) == []
    said(table, "bob", "cross queue 101 {} resign")
    table.answer("alice", "C3", 101)
    with table.service.store.read() as tx:
        match = tx.matches.load(101)
    assert match is not None
    assert match.result is not None
    assert (match.result.ending, match.result.winner) == ("resigned", 1)
    assert intents(table) == []


@pytest.mark.parametrize("talker", ["alice", "bob"])
def test_yes_to_later_words_is_no_resignation(table: House, talker: str) -> None:
    table.answer("bob", "D5", 101)
    assert "Really resign?" in table.answer("alice", "resign", 101)[0].body
    assert intents(table) == ["submit 1 resign"]
    table.answer(talker, "no way, do you like it here?", 101)
    unsure = table.answer("alice", "yes", 101)[0].body
    assert '"resign!" resigns.' in unsure
    assert "nothing was changed" in unsure
    assert "You resigned." in table.answer("alice", "resign", 101)[0].body


def test_a_doubt_below_a_move_is_kept_back_until_its_writer_says_yes_though_the_other_player_moves_first(
    table: House,
) -> None:
    mails = {got.address: got.body for got in table.answer("bob", "D5\nshould I resign?", 101)}
    assert "You played D5." in mails[address_of("bob")]
    told = 'Your words are kept back: "should I resign?". "yes" sends them'
    assert told in " ".join(mails[address_of("bob")].split())
    assert "should I resign?" not in mails[address_of("alice")]
    table.answer("alice", "C3", 101)
    mails = {got.address: got.body for got in table.answer("bob", "yes", 101)}
    assert "bob writes:\n\n  should I resign?" in mails[address_of("alice")]
    assert intents(table) == []


@pytest.mark.parametrize(
    ("answer", "is_sent"),
    [("Yes, send it.", True), ("Ok, please send it to her", True), ("drop it", False), ("No, don't send it!", False)],
)
def test_kept_words_are_answered_in_words(answer: str, is_sent: bool, table: House) -> None:
    table.answer("bob", "D5\nshould I resign?", 101)
    mails = {got.address: got.body for got in table.answer("bob", answer, 101)}
    assert ("should I resign?" in mails.get(address_of("alice"), "")) is is_sent
    assert intents(table) == []


def test_words_that_are_kept_back_when_the_game_ends_come_back(table: House) -> None:
    table.answer("bob", "D5\nshould I resign?", 101)
    mails = {got.address: " ".join(got.body.split()) for got in table.answer("alice", "resign!", 101)}
    assert "kept back reached nobody. The game is over, so they are among your notes." in mails[address_of("bob")]
    assert "should I resign?" in mails[address_of("bob")]
    assert "should I resign" not in mails[address_of("alice")]
    with table.service.store.read() as tx:
        assert [each.text for each in tx.remarks.of(RemarkKind.NOTE, 101)] == ["should I resign?"]


@pytest.mark.parametrize("words", ["yes, send it", "ok, pass it on", "drop it"])
def test_what_answers_kept_words_answers_no_other_question(words: str, table: House) -> None:
    table.answer("bob", "D5\ndraw?", 101)
    table.answer("alice", words, 101)
    table.answer("alice", "reject", 101)
    table.answer("alice", "resign", 101)
    table.answer("alice", words, 101)
    with table.service.store.read() as tx:
        match = tx.matches.load(101)
    assert match is not None
    assert match.result is None


def test_a_no_while_an_offer_and_kept_words_wait_is_asked_about(table: House) -> None:
    table.answer("alice", "should I resign?", 101)
    table.answer("bob", "D5\ndraw?", 101)
    waiting = intents(table)
    (got,) = table.answer("alice", "no", 101)
    assert '"reject" refuses a draw' in " ".join(got.body.split())
    assert intents(table) == waiting


@pytest.mark.parametrize("line", ["propose", "undo", "pause", "show", "reject", "draw"])
def test_a_move_below_another_command_is_not_lost_but_asked_about(table: House, line: str) -> None:
    (got,) = table.answer("bob", f"{line}\nD5", 101)
    assert "D5" in got.body.partition("Your email was")[0]
    assert any("You played D5." in each.body for each in table.answer("bob", "D5", 101))


@pytest.mark.parametrize(
    ("words", "is_kept"),
    [
        ("plan E5 F6", True),
        ("plan: if E5: F6", True),
        ("Hi!\nresgin", True),
        ("Should I give up?", True),
        ("My plan is to connect via E5 and then F6.", True),
        ("She'll never notice the trap.", True),
        ("@carol look at this!", True),
        ("Can I ask where you are from?", False),
        ("My son says hello, he loves this game.", False),
        ("I should be in bed.", False),
        ("Perhaps I should have played elsewhere.", False),
        ("Show me what you can do!", False),
    ],
)
def test_what_is_kept_back_below_a_move(words: str, is_kept: bool, table: House) -> None:
    table.player("carol")
    heard = {got.address: got.body for got in table.answer("bob", f"D5\n{words}", 101)}[address_of("alice")]
    assert ("bob writes:" not in heard) is is_kept


@pytest.mark.parametrize("words", ["bob bobpass", "PS: bob bobpass", "chat 101 bob bobpass hello", "my pass: bobpass"])
def test_a_login_below_a_move_goes_to_nobody(words: str, table: House) -> None:
    mails = table.answer("bob", f"D5\n{words}", 101)
    assert not any("bobpass" in got.body for got in mails)
    assert not any("bob writes:" in got.body for got in mails)
    assert any("not passed on" in got.body for got in mails)


def test_a_yes_to_an_earlier_question_does_not_answer_a_later_one(table: House) -> None:
    table.answer("bob", "D5", 101)
    table.answer("alice", "should I resign?", 101)
    table.answer("alice", "resign", 101)
    assert "older email" in " ".join(table.answer("alice", "yes", 101, mail=-1)[0].body.split())
    assert "You resigned." in table.answer("alice", "yes", 101)[0].body


def test_below_a_yes_that_sends_words_nothing_is_sent_unseen(table: House) -> None:
    table.answer("bob", "D5\nshould I resign?", 101)
    mails = table.answer("bob", "yes\nprivate: she is weak", 101)
    assert any("should I resign?" in got.body for got in mails)
    assert not any("weak" in got.body for got in mails if got.address == address_of("alice"))


def test_a_program_that_answers_each_question_comes_to_an_end(table: House) -> None:
    answered = [bool(table.answer("bob", f"Should I call you? {number}", 101, mail=0)) for number in range(60)]
    assert answered[:20] == [True] * 20
    assert not any(answered[45:])


def test_yes_with_thanks_resigns_and_with_a_but_it_does_not(table: House) -> None:
    table.answer("bob", "D5", 101)
    table.answer("alice", "resign", 101)
    assert not any("resigned" in got.body for got in table.answer("alice", "yes, but not now", 101))
    assert intents(table) == ["submit 1 resign"]
    table.answer("alice", "C3", 101)
    table.answer("bob", "B2", 101)
    assert "Really resign?" in table.answer("alice", "resign", 101)[0].body
    assert "You resigned." in table.answer("alice", "Yes, I'm sure. Thanks for the game!", 101)[0].body


def test_a_number_behind_undo_is_none_of_a_board(table: House) -> None:
    assert "One ply is taken back: your last one" in one(table.answer("alice", "undo 2", 101))


@pytest.mark.parametrize(("asks", "wish"), [("propose", "a draw"), ("undo", "a takeback")])
@pytest.mark.parametrize("reply", ["yes", "Sure!", "agreed", "no", "nope"])
def test_yes_or_no_to_later_words_answers_no_offer(table: House, asks: str, wish: str, reply: str) -> None:
    table.answer("bob", "D5", 101)
    table.answer("alice", f"{asks}\n\nI am tired.", 101)
    table.answer("alice", "Do you like it here?", 101)
    (unsure,) = table.answer("bob", reply, 101)
    assert "nothing was changed" in unsure.body
    assert f'"accept" agrees to {wish}, "reject" refuses.' in " ".join(unsure.body.split())
    assert "declined" in table.answer("bob", "reject", 101)[0].body


def test_yes_answers_an_offer_that_came_with_words_of_its_own(table: House) -> None:
    table.answer("bob", "D5", 101)
    table.answer("bob", "Do you like it here?", 101)
    table.answer("alice", "propose\n\nI am tired. Shall we?", 101)
    assert any("drawn" in got.body for got in table.answer("bob", "yes", 101))


def test_yes_to_words_is_passed_on_where_nothing_is_asked(table: House) -> None:
    assert "answers no question" in table.answer("bob", "yes", 101)[0].body
    table.answer("alice", "Do you like it here?", 101)
    told = {got.address: got.body for got in table.answer("bob", "Yes!", 101)}
    assert "bob writes:\n\n  Yes!" in told["alice@example.net"]
    assert "answers no question" in table.answer("bob", "yes", 101)[0].body


@pytest.mark.parametrize("userid", ["alice", "bob"])
def test_in_the_first_round_a_resignation_makes_the_game_void(table: House, userid: str) -> None:
    said(table, userid, "cross resign 101 {}")
    with table.service.store.read() as tx:
        match = tx.matches.load(101)
    assert match is not None
    assert match.result is not None
    assert (match.result.ending, match.result.winner) == ("void", None)
    assert f"{userid} has declined to play" in match.result.reason


def test_a_ply_is_taken_back_by_consent_and_old_mails_are_then_stale(table: House) -> None:
    table.answer("bob", "D5", 101)
    said(table, "bob", "cross queue 101 {} C4")
    said(table, "alice", "cross submit 101 {} C3")
    table.answer("bob", "undo", 101)
    box = len([got for got in table.mailboxes["alice@example.net"] if got.board == 101])
    table.answer("alice", "accept", 101)
    assert moves(table) == ["D4"]
    assert intents(table) == []
    assert "earlier state" in one(table.answer("alice", "C3", 101, mail=box))
    table.answer("bob", "swap", 101)
    said(table, "bob", "cross undo 101 {}")
    said(table, "alice", "cross accept 101 {}")
    assert moves(table) == ["D4"]
    table.answer("bob", "C5", 101)
    assert moves(table) == ["D4", "C5"]


def test_a_move_cancels_an_offer(table: House) -> None:
    said(table, "alice", "cross propose 101 {}")
    mails = table.answer("bob", "D5", 101)
    assert all("offer of a draw is off" in got.body for got in mails)
    assert "Nobody has asked" in one(said(table, "bob", "cross accept 101 {}"))


def test_an_offer_is_answered_by_the_other_player_only(table: House) -> None:
    table.player("carol")
    said(table, "alice", "cross propose 101 {}")
    assert "yourself" in one(said(table, "alice", "cross accept 101 {}"))
    assert "not a player" in one(said(table, "carol", "cross accept 101 {}"))
    assert 'answer "accept" or "reject" first' in one(said(table, "bob", "cross undo 101 {}"))
    said(table, "bob", "cross accept 101 {}")
    with table.service.store.read() as tx:
        match = tx.matches.load(101)
    assert match is not None
    assert match.result is not None
    assert (match.result.ending, match.result.winner, match.offer) == ("agreed", None, None)


def test_who_plays_against_themselves_agrees_with_themselves(house: House) -> None:
    house.player("alice")
    house.game("cross -size=3 alice alice", ["C3", "B2"])
    said(house, "alice", "cross undo 101 {}")
    said(house, "alice", "cross accept 101 {}")
    assert moves(house) == ["C3"]


def test_accept_without_a_board_is_about_challenges(table: House) -> None:
    said(table, "alice", "cross propose 101 {}")
    said(table, "bob", "cross reject {}")
    with table.service.store.read() as tx:
        match, player = tx.matches.load(101), tx.players.find("bob")
        assert match is not None
        assert player is not None
        assert match.offer is not None
        assert not tx.choices.of("cross", (player.id,))[player.id].accepts


def test_a_submitted_move_is_shown_to_its_player_alone_and_dropped_by_another(table: House) -> None:
    (preview,) = said(table, "bob", "cross submit 101 {} D5")
    assert preview.address == "bob@example.net"
    assert moves(table) == ["D4"]
    said(table, "bob", "cross move 101 {} C3")
    assert "submitted no move" in one(said(table, "bob", "cross confirm 101 {}"))
    said(table, "alice", "cross submit 101 {} D5")
    said(table, "alice", "cross submit 101 {} D6")
    table.answer("alice", "confirm", 101)
    assert moves(table) == ["D4", "C3", "D6"]


@pytest.mark.parametrize("words", ["101 C3 D3", "101#0 D4", "101#-1 C3", "new 2 -size=2 B2 swap", "new D4"])
def test_a_preview_changes_nothing(table: House, words: str) -> None:
    before = table.dump()
    assert not table.send("bob", f"cross preview {words}")[0].refuses
    assert table.dump() == before


def test_a_preview_is_bounded(table: House) -> None:
    assert "at most 100 plies" in one(table.send("bob", "cross preview 101 " + "A1 " * 101))


def test_followers_get_one_mail_each_and_players_none_more(table: House) -> None:
    table.players("carol", "dave", "erin")
    said(table, "carol", "cross subscribe 101 {}")
    said(table, "carol", "cross notify {}")
    said(table, "dave", "cross sub {} all")
    said(table, "dave", "cross notify {} 101")
    said(table, "erin", "cross notify {} 101")
    said(table, "alice", "cross sub {} all")
    moved = table.answer("bob", "D5", 101)
    assert sorted(got.address.partition("@")[0] for got in moved) == ["alice", "bob", "carol", "dave"]
    ended = table.answer("alice", "resign!", 101)
    assert sorted(got.address.partition("@")[0] for got in ended) == ["alice", "bob", "carol", "dave", "erin"]


def test_an_answer_of_a_spectators_cannot_play(table: House) -> None:
    table.player("carol")
    said(table, "carol", "cross subscribe 101 {}")
    table.answer("bob", "D5", 101)
    assert "not a player" in one(table.answer("carol", "C3", 101))
    assert moves(table) == ["D4", "D5"]


def test_chat_reaches_everybody_once_but_not_who_has_blocked_the_writer(table: House) -> None:
    table.players("carol", "dave")
    said(table, "carol", "cross subscribe 101 {}")
    mails = said(table, "dave", "cross chat 101 {}", "Well played!\nswap\n")
    assert sorted(got.address.partition("@")[0] for got in mails) == ["alice", "bob", "carol", "dave"]
    assert all("swap" in got.body for got in mails)
    said(table, "carol", "block {} dave")
    mails = said(table, "dave", "cross chat 101 {}", "Still there?")
    assert sorted(got.address.partition("@")[0] for got in mails) == ["alice", "bob", "dave"]
    assert moves(table) == ["D4"]


def test_too_many_boards_are_not_mailed(table: House) -> None:
    for _ in range(21):
        said(table, "alice", "cross challenge alice bob")
    assert "22 boards would be too much mail" in one(table.answer("alice", "show active", 101))
    assert len(table.answer("alice", "show " + " ".join(map(str, range(101, 121))), 101)) == 20


def test_a_sentence_below_a_move_is_a_comment(table: House) -> None:
    mails = table.answer("bob", "D5\nShow me what you can do.\nMove along, nothing to see.", 101)
    assert moves(table) == ["D4", "D5"]
    assert any("Show me what you can do" in got.body for got in mails)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("D5?", "Your email speaks of D5, and does not say that you play it."),
        ("stop sending me mails", "You want no more emails."),
        ("Please take me off your list.", "You want no more emails."),
    ],
)
def test_a_question_and_a_wish_to_be_left_alone_play_nothing_and_reach_nobody(
    text: str, answer: str, table: House
) -> None:
    (got,) = table.answer("bob", text, 101)
    assert got["To"] == address_of("bob")
    assert answer in " ".join(got.body.split())
    assert moves(table) == ["D4"]
    assert not table.parked()


@pytest.mark.parametrize("subject", ["Re: play", "AW: board", "Re: Message from Bob", "RE: help"])
def test_a_subject_that_titles_a_conversation_is_no_command(subject: str, table: House) -> None:
    arriving = table.answering("bob", "D5", 101)
    raw = re.sub(rb"(?m)^Subject: .*\r$", b"Subject: %b\r" % subject.encode(), arriving.raw, count=1)
    table.deliver(replace(arriving, raw=raw))
    assert moves(table) == ["D4", "D5"]


def test_a_subject_in_place_of_a_text_is_a_command(table: House) -> None:
    arriving = table.answering("bob", "", 101)
    raw = re.sub(rb"(?m)^Subject: .*\r$", b"Subject: Re: D5\r", arriving.raw, count=1)
    table.deliver(replace(arriving, raw=raw))
    assert moves(table) == ["D4", "D5"]


@pytest.mark.parametrize("text", ["", "-- \r\nAlice", "Sent from my iPhone"])
def test_a_link_whose_move_was_lost_does_not_play_the_number_of_its_board(text: str, house: House) -> None:
    """On boards with numbered edges, the subject of our links could be a move: some programs drop a link's body."""
    house.players("alice", "bob")
    house.game("crossgeo -board=random -edges=200 -seed=3 alice bob")
    answered = house.mailboxes[address_of("alice")][-1]
    assert "no words of yours" in one(house.send("alice", "Re: 101", text, to=answered["Reply-To"]))
    assert moves(house) == []


def test_a_friend_to_be_invited_is_not_told_to_the_opponent(table: House) -> None:
    (refused,) = table.answer("alice", "invite carol@example.com to a game", 101)
    assert refused.address == "alice@example.net"
    assert "cross challenge me carol@example.com" in refused.body


def test_a_dash_between_the_move_and_its_comment_is_no_word(table: House) -> None:
    told = {got.address: got.body for got in table.answer("bob", "D5 - have fun", 101)}
    assert "\n  have fun\n" in told["alice@example.net"]


def test_a_move_and_an_offer_are_told_in_one_mail(table: House) -> None:
    told = table.answer("bob", "D5\npropose", 101)
    assert sorted(got.address for got in told) == ["alice@example.net", "bob@example.net"]
    assert all("offer a draw" in got.body or "offers a draw" in got.body for got in told)


def test_a_list_of_what_was_done_comes_where_nothing_else_tells_it(table: House) -> None:
    table.answer("bob", "set receipts off", 101, vouched=True)
    table.answer("bob", "D5", 101)
    table.answer("alice", "D6", 101)
    told = [
        got for got in table.answer("bob", "E5\nset hold off", 101, vouched=True) if got.address == "bob@example.net"
    ]
    assert [got["Subject"] for got in told] == ["pbm: 2 of 2 commands done"]


@pytest.mark.parametrize(
    ("by", "asked", "answer"),
    [
        ("alice", "draw", "accept\nor not"),
        ("alice", "draw", "accept\nor later"),
        ("alice", "draw", "accept\nonly if you promise a rematch"),
        ("alice", "draw", "accept\nE5"),
        ("alice", "draw", "yes\nno wait"),
        ("alice", "draw", "Yes.\n\nOr no, I'd rather play on"),
        ("alice", "draw", "yes\nE5"),
        ("bob", "resign", "yes\nE5"),
        ("bob", "resign", "Yes... or maybe not"),
        ("alice", "", "resign!\nHaha, just kidding"),
        ("alice", "", "Resign!\nE5"),
    ],
)
def test_words_that_take_a_yes_or_a_resignation_back_end_no_game(
    table: House, by: str, asked: str, answer: str
) -> None:
    if asked:
        table.answer(by, asked, 101)
    got = table.answer("bob", answer, 101)
    assert "bob@example.net" in {each.address for each in got}, "the writer is told"
    with table.service.store.read() as tx:
        match = tx.matches.load(101)
    assert match is not None
    assert match.result is None


@pytest.mark.parametrize("answer", ["accept\nGood game!", "yes\nThat was close. E5 was strong!", "Yes.\n\nThanks!"])
def test_words_below_a_yes_go_with_it(table: House, answer: str) -> None:
    table.answer("alice", "draw", 101)
    (to_alice,) = (got for got in table.answer("bob", answer, 101) if got.address == "alice@example.net")
    assert "by agreement" in to_alice.body
    assert answer.rpartition("\n")[2] in to_alice.body
