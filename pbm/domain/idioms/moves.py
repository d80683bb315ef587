"""How a move stands among the words of a sentence, and whether it is played or only mentioned."""

from __future__ import annotations

import re

from pbm.domain.idioms.patterns import any_of
from pbm.domain.idioms.vocabulary import NUMBERS

DICTATED = re.compile(rf"(?<![\w'’])(?P<letter>[b-hj-z]) (?P<count>{'|'.join(NUMBERS)})\b", re.IGNORECASE)
"""A dictated cell; before a number, "a" and "I" are words."""

ALONE = any_of(r"(?P<move>.+?)", "BEFORE", "AFTER")
"""A sentence that may be a move with polite words around it."""

LETTER = any_of(
    r"\w,? (?:please|bitte|again|nochmal|encore|your (?:turn|move))|COLUMN \w(?:,? (?:please|bitte|again))?"
)
"""A sentence that may be a move of a single letter; a letter alone may be an initial."""

LEADING = any_of(
    r"(?P<move>\S+?(?: \S+?){0,3}?)",
    "BEFORE",
    r"\s*(?P<mark>[,;:!(](?![\d?])|\s-+(?!\d)|\s(?=(?:and|because|since|as|so|of course|again"
    r"|und|weil|et|car|y|porque|e|perché|en|want|omdat)\b))",
)
"""A sentence that may begin with a move."""

PLAYS = any_of(
    r"""
    (?:move|turn|choice|pick|stone) is|WISH(?:(?:just|now|simply|then) )?VERB|(?:let me|let's|let us) VERB|VERB
    i(?:'m| am) VERB|i'd like(?= [a-z]\d)
    (?:i(?:'m| am) )?(?:playing|taking|going|moving|placing|putting|choosing|picking|removing|trying|connecting|drawing)
    (?:(?:so|and) )?(?:my|the|this|here is my|here's my) NAMES(?: to)?(?: VERB)?
    """,
    "BEFORE",
    r"\s*[:=]?\s+(?P<object>.+)",
)
"""A clause that says that the writer plays what follows."""

IS_PLAYED = any_of(
    r"\s+(?:it (?:is|shall be|will be)|is my (?:final |next )?(?:move|choice|answer|reply|turn)|is what i play)\b.*",
    r"BEFORE(?P<object>.{1,60}?)",
)
"""A clause that says that the writer plays what it begins with."""

LEADS = any_of(
    r"""
    for|with|on|upon|onto|at|to|in|by|from|the|a(?! (?:to|and|with) |-)|an|my|one|next|stone|piece|marker|man|cell
    square|point|vertex|field|hex|spot|edge|line|segment|number|no(?=\.? ?\d)|position|place|move
    COLUMN|nr|nummer|linie|ligne|línea|linea|linha|lijn|kante|arête|feld|casilla|casella|vakje
    centre|center|middle|corner|here|down|now|just|over|there
    """,
    after=r"\b[\s.:]*(?=\S)",
)
"""A word that may stand between a verb and the move."""

ENDED = any_of(r"$|\s+(?:to|for|and|so|because|since|as|but|then)\b|\s*[-(]", "AFTER")
"""What may follow a move that is a number; the number counts anything else: "5 days"."""

BETWEEN = re.compile(r"[,;&]|\b(?:and|then|und|dann|et|puis|en|luego)\b", re.IGNORECASE)
"""Words that may stand between two moves of a turn."""

CLAUSE = re.compile(r"(?:,|;|:|\(| - |\band\b|\bso\b|\bbut\b)\s*")

WISHED = re.compile(r"\bi(?:'d| would) (?:(?:like|love)|be (?:happy|glad|delighted|pleased)) to\b|\bwish to\b")
"""Words like those of a condition that are not one."""

CONDITION = any_of(
    r"""
    wenn|falls|sobald|vielleicht|eventuell|oder|nicht|peut-être|quizás?|tal vez|si|pas|sauf|als|tenzij|misschien|niet
    if|unless|when|whenever|until|would|could|should|might|may|maybe|perhaps|had|suppose|imagine|either|or|instead of
    tomorrow|later|soon|yesterday|ago|last (?:time|game|move|week|turn)|next (?:time|turn|game)|wish|hope you|whether
    thought|expected|considered|considering|thinking|planned|wanted|threat|threaten\w*|after|before|once|almost|nearly
    """,
    r"\b",
    r"\b",
)
"""Words of a sentence that only mentions moves."""

SPOKEN_OF = any_of(
    rf"""
    {CONDITION.pattern}|n't\b
    \b(?:was|were|not|never|better|worse|plan|planning|why|what about|how about|you play(?:ed)?(?! WELL)|your move)\b
    """
)
"""Words around a move that is only mentioned."""

APOLOGY = re.compile(r"(?:sorry|apologies|pardon) (?:for|about) (?:the|my|being|not) ")
"""The beginning of words after a move that are about the writer, not about the move."""

RETRACTS = any_of(
    r"""
    ^or|^maybe|^perhaps|^better
    no|wait|sorry|i mean|i meant|rather|instead|actually|correction|oops|scratch that|on second thoughts?|second thought
    let me think|not yet|hold on|just kidding|joking|forget (?:it|that)|never mind
    nein|doch|lieber|oder|warte|moment|halt|falsch|meinte|quatsch|non|ou|plutôt|attende?[sz]|mejor|espera|o|anzi|aspetta
    nee|toch|liever|wacht|jk|nvm
    """,
    r"\b",
    r"\b",
)
"""Words that take back another sentence, if they come with another move."""

TAKES_BACK = any_of(
    r"""
    wait|hold on|only if\b|let me (?:think|reconsider|sleep on)|not yet|just kidding|joking|forget|never mind
    on (?:second|reflection)|or (?:(?:maybe |perhaps |better )?(?:not|later|tomorrow)|no)\b(?! doubt)
    stop(?=[\s,!.]*(?:wait\b|$))
    (?:jk|nvm|not(?: really)?|kidding|don't|do not)ENDS
    (?:(?:that|this|it)(?:'s| is| was) (?:just |only |all )?|just |only )an? (?:bad )?(?:joke|mistake|error|typo)\b
    (?:(?:das|es|dies) )?war (?:nur )?ein (?:scherz|witz|versehen|irrtum|fehler)|c'était une? (?:blague|erreur)
    (?:era|fue) (?:una? )?(?:broma|error)|era uno scherzo|(?:dat|het) was een (?:grap\w*|vergissing|fout)
    sorry[\s,]+(?:i meant|(?:that(?:'s| is| was) )?(?:(?:a|the|my) )?(?:wrong|mistake|typo|misclick))
    (?:scratch|strike|cancel|ignore|disregard)(?: (?:it|(?:that|this|my)(?: last)?(?: (?:move|mail|message))?))?ENDS
    (?:don't|do not) (?:play|make|count) (?:it|that|this)(?: yet)?ENDS
    i (?:still |first )?(?:need|have|want) to think(?: (?:more|again|about it|it over))*ENDS
    (?:stopp?[\s,!.]+)?(?:warte(?: mal)?|moment(?: mal)?|halt|attende?[sz]|espera(?: aí)?|aspetta|wacht(?: even)?)ENDS
    doch nicht|oder (?:doch |lieber )?nicht|ich meinte|das war falsch|vergiss (?:es|das)|ich überlege noch
    ou pas\b|plutôt pas|oubliez? (?:ça|cela)|laissez? tomber|je réfléchis|mejor no\b|o no\b|olvídalo
    of toch niet|toch niet|laat maar|lascia (?:stare|perdere)|vänta
    (?:lieber nicht|noch nicht|liever niet|nog niet|pas encore|non ancora|todavía no|ainda não)ENDS
    """,
    r"(?:(?:oh|ah|ach|och|oops|ups|haha|lol|hm+|um+|but|aber|actually|please|bitte|no|nein|non|nee|não)[\s,!.]+)*",
)
"""The beginning of a sentence or a clause that takes back the one before it, whatever else it says."""

LONE_NO = re.compile(r"no(?: way)?|nope|never|nein|non|nee|não")
"""A clause that says only no."""

AFTERWARDS = re.compile(r"(?:(?:and|but|so) )*then (?:i|we)\b")
"""The beginning of a sentence that says what its writer does only after what the sentence before it says."""

DISMISSED = re.compile(
    r"(?:i(?:'ve| have| had)? )?(?:(?:also|first|just|briefly|long) )*"
    r"(?:thought (?:about|of)|considered|looked at|was thinking (?:about|of)|was tempted by)\b.{1,40}?[\s,.-]*\bbut "
    r"(?:no|not (?:now|yet|today)|decided against (?:it|that)|(?:it|that)(?:'s| is| was| would be) (?:bad|worse|wrong))"
)
"""A sentence that only mentions a move its writer decided against."""

DENIED = re.compile(r"[\s,;(-]+(?:and |but )?not (?:at |on )?(?P<move>\S+?)[\s.!)]*$", re.IGNORECASE)
"""The end of a sentence that names a move in order to deny it: "C3, not E5"."""
