"""What a text asks of the server, and which games it names."""

from __future__ import annotations

from games import GAMES
from pbm.reading.book import Phrase, words
from pbm.reading.intent import Surroundings, titles_of
from pbm.reading.sentences import phrases, plain, sentences


def topic(text: str) -> str:
    """The command that answers a letter by what it speaks of anywhere, with GAME for a game; "" for none.

    >>> topic("Hello, are there any tournaments?"), topic("How do I resign?"), topic("My cat is asleep.")
    ('tournaments', 'help resign', '')
    """
    for group in ("everywhere", "topic"):
        for sentence in sentences(text):
            found = _said(sentence.text, group)
            if found:
                return found[0].line.replace("{game}", "GAME")
    return ""


def _said(text: str, group: str) -> list[Phrase]:
    here = Surroundings(lambda _: None)
    return [phrase for phrase in here.phrases(text, group) if phrase.group and "{" not in phrase.line]


def rules_wanted(text: str) -> str:
    """The command for the page about a game whose rules a letter asks for; "" if it asks for none, or names no game.

    >>> rules_wanted("rules of cross"), rules_wanted("Hi, what is hex?"), rules_wanted("The rules of my house")
    ('help cross', 'help hex', '')
    """
    game = game_named(text)
    return f"help {game}" if game and topic(text) == "help GAME" else ""


def starts(text: str) -> bool:
    """Whether the writer wants a game at once, as in "I'm ready, let's play!" and "Hex please"."""
    said = [phrase for each in sentences(text) for phrase in _said(each.text, "letter")]
    return any(phrase.does.startswith("play") for phrase in said)


def lost(text: str) -> bool:
    """Whether the text only says that its writer is lost: "help me", "huh?", "What do I do now?"."""
    said = sentences(text)
    found = [any(phrase.does == "help start" for phrase in _said(each.text, "everywhere")) for each in said]
    courtesies = [bool(phrases(each.text, "courtesy")) for each in said]
    if not said:
        return "?" in text
    return any(found) and all(map(any, zip(found, courtesies, strict=True)))


def game_named(text: str) -> str:
    """The game that words name; a name that is also a common word needs one like "play" before it.

    >>> [game_named(said) for said in ("let's go and play hex", "I want to play go", "ich will Go spielen", "let's go")]
    ['hex', 'go', 'go', '']
    """
    bare = plain(text).split()
    for before, word, behind in zip(["", *bare], bare, [*bare[1:], ""], strict=False):
        # A common word means a game where it stands alone, or beside a word such as "play".
        is_played = before in words("before-games") or behind in words("after-games") or not (before or behind)
        if word in GAMES and (is_played or word not in words("also-words")):
            return word
    said = f" {' '.join(bare)} "
    titles = titles_of(tuple(GAMES))
    return next((name for title, name in titles.items() if title not in GAMES and f" {title} " in said), "")


def game_elsewhere(text: str) -> str:
    """The well-known game a text mentions that is not played here; "" for none, or if it mentions one of ours, too.

    >>> game_elsewhere("Do you play Chess?"), game_elsewhere("Is hex like chess?"), game_elsewhere("Hello!")
    ('chess', '', '')
    """
    found = next((word for word in plain(text).split() if word in words("elsewhere")), "")
    return "" if game_named(text) else found
