"""Reply tokens: only those sealed by this server open, and only letter for letter."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pbm.domain.tokens import ChatToken, DigestToken, PlayerToken, SeatToken, Signer, Token

ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
NUMBERS = st.integers(0, 2**40)
TOKENS: st.SearchStrategy[Token] = st.one_of(
    st.builds(SeatToken, NUMBERS, st.sampled_from([1, 2]), NUMBERS, NUMBERS),
    st.builds(ChatToken, NUMBERS, st.sampled_from([1, 2]), NUMBERS),
    st.builds(PlayerToken, NUMBERS, NUMBERS, st.integers(0, 100_000)),
    st.builds(DigestToken, st.integers(0, 2**28), st.integers(0, 1000), st.integers(0, 100_000), st.integers(0, 2**52)),
)
signer = Signer(bytes(range(32)))


@given(TOKENS)
def test_a_sealed_token_opens_whatever_becomes_of_its_case(token: Token) -> None:
    text = signer.seal(token)
    assert signer.open(text) == token
    assert signer.open(text.upper()) == token
    assert set(text) <= set(ALPHABET)
    assert len(text) <= 48


@given(TOKENS, TOKENS)
def test_different_tokens_have_different_texts(one: Token, other: Token) -> None:
    assert (signer.seal(one) == signer.seal(other)) == (one == other)


@given(TOKENS, st.data())
def test_a_changed_character_is_refused(token: Token, data: st.DataObject) -> None:
    text = signer.seal(token)
    place = data.draw(st.integers(0, len(text) - 1))
    for letter in set(ALPHABET) - {text[place]}:
        assert signer.open(text[:place] + letter + text[place + 1 :]) is None


@given(TOKENS, st.data())
def test_a_text_cut_or_lengthened_is_refused(token: Token, data: st.DataObject) -> None:
    text = signer.seal(token)
    for shorter in range(len(text)):
        assert signer.open(text[:shorter]) is None
    assert signer.open(text + data.draw(st.text(ALPHABET + "=", min_size=1, max_size=8))) is None


@given(TOKENS)
def test_another_server_s_token_is_refused(token: Token) -> None:
    assert Signer(b"another secret").open(signer.seal(token)) is None


@given(st.text(max_size=60))
def test_no_text_raises(text: str) -> None:
    assert signer.open(text) is None


def test_a_seat_s_token_is_no_player_s() -> None:
    seat, player = signer.seal(SeatToken(7, 1, 3, 0)), signer.seal(PlayerToken(7, 1, 3))
    assert seat != player
    assert signer.open(seat) == SeatToken(7, 1, 3, 0)
    assert signer.open(player) == PlayerToken(7, 1, 3)
