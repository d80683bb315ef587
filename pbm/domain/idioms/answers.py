"""Answers in plain words: yes, no, never again, a question, thanks; to an invitation or to the other player."""

from __future__ import annotations

import re

from pbm.domain.idioms.patterns import any_of

NEVER = any_of(
    r"""
    (?:take|remove|delete|strike|erase) (?:me|my (?:e-?mail )?(?:address|name|mail|email))\b(?! (?:up|on|there))
    (?:delete|remove|erase) (?:all )?my (?:personal )?(?:data|account)\b
    (?:take|get) (?:me|my \w+) off|\bunsubscribe\b|^remove$|\bleave me alone\b|\bopt[ -]?out\b
    (?:don't|do not|never|stop|quit|cease)(?: ever)? (?:e-?mail|mail|write|writ|contact|messag)\w*
    (?:don't|do not|never|stop|quit|cease)(?: ever)? (?:send|spam|bother|invit|ask)\w*
    \bno (?:more|further) (?:e-?mails?|mails?|messages|invitations|letters|spam)\b
    ^(?:please )?stop(?: (?:it|this|that|now|please))*$|\bplease stop\b
    (?<!n't )(?<!not )(?<!never )\bforget (?:about )?(?:me|my (?:\w+ )?(?:address|data|account))\b|\bto be forgotten\b
    \b(?:forget|delete|erase|remove) EVERYTHING\b
    \bERASING|\bvergessen sie mich\b|\boubliez-moi\b|\bmeine? (?:daten|konto|adresse|e-?mail-adresse) löschen\b
    \blösche(?:n sie)? (?:bitte )?(?:alle )?meine? (?:daten|konto|adresse|e-?mail-adresse)\b
    \bnever again\b|\b(?:this is|reported?(?: as)?) spam\b
    \bdo(?:n't| not) want (?:(?:any|more|of|these|those|such|your) )*(?:e-?mails?|mails?|messages)\b
    ^(?:bitte )?(?:abmelden|abbestellen|austragen)\b|\bkeine (?:weiteren (?:e-?)?mails|(?:e-?)?mails mehr)\b
    \b(?:lass(?:t|en sie)? mich in ruhe|laisse[zr]?-moi tranquille|déj[ae]me en paz|lasciami in pace)\b
    \b(?:me deixem? em paz|laat me met rust|schreib\w* (?:sie )?mir nicht (?:mehr|wieder)|schrijf me niet meer)\b
    ^désinscri\w+|^(?:me )?désabonn\w+|\b(?:ne m'écrivez|plus de mails)\b|\bd(?:ar(?:me)?|oy) de baja\b|^baja$
    (?:melde ich|melden sie|möchte) mich (?:bitte )?ab(?:melden)?\??$|\bme (?:désabonner|désinscrire)\b
    ^(?:uitschrijven|afmelden)\b|^disiscriv\w+|^cancellami\b|\b(?:sair da lista|cancelar (?:a |minha )*inscrição)\b
    """
)
"""No, and no further mail; searched for anywhere. A lone "never" means this only as an answer to an invitation."""

NOT_NO = any_of(
    r"""
    no (?:problem|worries|doubt|question|objections?|time limit|experience|idea (?:how|what))|why not|not at all
    can't wait|cannot wait|never played|haven't played|not (?:very|so|too) good|not sure
    (?:wouldn't|would not|won't|will not|don't|do not) (?:mind|miss|say no)|no (?:entiendo|comprendo|sé|hay problema)
    non (?:capisco|ho capito)|n[aã]o (?:entendo|percebo|compreendo)|por qu[eé] no|perch[eé] no|por ?que n[aã]o
    warum nicht|pourquoi pas|waarom niet|kein problem|pas de problème|geen probleem|pas mal|nicht schlecht|noch nie
    keine (?:ahnung|erfahrung)|geen ervaring|pas (?:d'expérience|très fort|encore joué)
    nicht (?:so |sehr )?(?:gut|sicher)|niet (?:zo |erg )?(?:goed|zeker)|jamais joué|nunca (?:\w\w )?jug\w+
    nooit gespeeld|nunca jog\w+|not a problem(?: at all)?|no tengo (?:mucha )?experiencia
    """,
    r"\b",
    r"\b",
)
"""Phrases that contain a no, but do not mean no."""

HARMLESS = any_of(
    r"""
    (?:if|when(?:ever)?) (?:you(?:'re| are)? |it )(?:like|want|wish|insist|don't mind|(?:are )?ready|sure|suits? you)
    after you|may the (?:best|better) (?:\w+ )?win|see you (?:later|soon|then|there)|as you (?:like|wish)
    when do we (?:start|begin)
    wenn (?:du|sie|ihr|es) (?:magst|willst|möchtest|möchten|wollen|wollt|recht ist|passt)|wann immer du willst
    si (?:tu|vous) (?:veux|voulez)|quand (?:tu|vous) (?:veux|voulez)|cuando quieras|quando (?:vuoi|quiser)
    """,
    r"\b",
    r"\b",
)
"""Phrases with a condition or a time that limit no yes."""

AGREEING = frozenset(
    """
    yes yeah yep ok okay yup sure sir indeed of course and to for with against by a an the this that is it you your me
    my i i'm i'd i'll we let's let us am be will would really very much so too again now here then oh well one name
    in up on as like love want accept agree confirm play playing try trying join start begin go take have had happy glad
    pleased delighted honoured honored keen eager ready game games match rematch round challenge invitation offer
    invite do best please thanks thank fun great good nice fine sounds thing idea pleasure lovely perfect super
    wonderful cool interesting
    enjoy plan turn why not shot gladly certainly definitely absolutely gern gerne sehr mit dir ihnen gegen
    dich ich wir spielen spiele mitspielen bitte danke möchte würde freue mich avec plaisir toi vous jouer merci
    con gusto jugar contigo gracias que sí volentieri giocare grazie graag spelen jogar obrigado por favor claro
    """.split()  # noqa: SIM905  a list of them would be a page
)
"""Words of which a clause that agrees may consist, besides one name and the names of games."""

ASIDE = any_of(
    r"""
    i(?:'m| am|'ve| have| haven't| had| was| think| hope| guess| never| don't mind)\b|it(?:'s| is| has| was| will)\b
    how\b
    (?:that|this|we|you|s?h[e])(?:'s|'ve|'re| is| was| are| were| have| has| sounds| works)\b|there(?:'s| is| are)\b
    my\b|hope\b|hoping\b|looking forward\b|long time\b|(?:good|best of) luck\b|(?:have|let's have) (?:a|fun)\b|be\b
    (?:ich )?(?:bin|hab|habe|freue)\b
    (?:je suis|j'ai|je n'ai)\b|(?:soy|estoy|(?:no )?h[e])\b|(?:sono|ho|non ho)\b|ik (?:ben|heb)\b
    """,
    r"^(?:(?:and|but|so|well|although|though|aber|mais|pero|ma|maar) )*",
)
"""The beginning of a clause that tells something besides a yes."""

LIMITS = any_of(
    r"""
    \w*n't|but$|only|just|if|unless|once|when(?:ever)?|until|till?|before(?!$)|after|except\w*|provid\w+|depend\w*
    permit\w*|conditions?|subject to|assuming|soon|as long|otherwise|instead|rather|first|later|next|another|wait|busy
    swamped|ill|however|unfortunately|sadly|sorry|away|abroad|tomorrow|tonight|some ?(?:day|time)|\w{3,6}day|days?
    weeks?|weekends?|months?|hours?|years?|january|february|march|april|may|june|july|august|september|october|november
    december|^in (?:the )?(?:spring|summer|autumn|fall|winter)|christmas|easter|holidays?|vacation|exams?|hospital
    white|black|colou?rs?|sides?|board|size|(?:un)?rated|handicap|clocks?|pace|slow(?:ly)? please|langsam|lentement
    despacio|no|not|never|doubt|can|could|might|must|should|need|give|let me|want|prefer|i(?:'ll| will)|tell|explain
    forget|still|think about|know|remember|got|received|(?:how|what) about|how (?:long|many|much)|\d+x\d+|possibly
    probably
    hopefully|eventually|potentially|theoretically|hardly|unlikely|doubtful|pity|\w{3,8}tag|lundi|mardi|mercredi|jeudi
    vendredi|samedi|dimanche|lunes|martes|miércoles|jueves|viernes|sábado|wenn|falls|sobald|sofern
    erst (?:am|i'?m|in|ab|nach|wenn)|nur|leider|kein\w*|nicht|nie|nach|morgen|übermorgen|später|nächste\w*|woche\w*
    monat\w*|tage?n?|warte\w*|andermal|si|quand|seulement|après|demain|prochaine?|pas|semaines?|cuando|después|mañana
    próxim[oa]|semanas?|s[óo]lo|quando|dopo|domani|prossim[oa]|amanhã|depois|als|zodra|volgende
    """,
    r"(?<![\w'])",
    r"\b",
)
"""Words that may limit a yes wherever they stand: a time, a condition, a wish."""

WISH = re.compile(r"\b(?:would|i'd|sounds|looks)\b|^(?:love|happy|glad)\b")
"""In a clause that is keen: its writer would play, which "sadly, I am ill" may follow."""

NO = any_of(
    r"""
    ^POLITE?[\s,.!-]*(?:no|nope|nah|n|nein|non|nee|nej|nei|não|nao|нет|いいえ|not)\b(?! (?:one|bad|only|problem))
    \b(?:no,? thanks?|no,? thank you|not interested|no interest|not for me|not my (?:thing|cup)|not now|not today)\b
    \b(?:not at the moment|not this time|maybe (?:later|another|next|some)|some other time|another time|rather not)\b
    \b(?:prefer not|(?:have to|must) (?:decline|pass)|i decline|i refuse|i reject|declined?|reject|i'll pass|i pass)\b
    \b(?:another|more|just|only|pure) spam\b
    \b(?:count me out|without me|too busy|(?:have|got|there's) no time|not have (?:(?:the|any|enough) )?time)\b
    \b(?:pas le temps|pas intéressée?|ne m'intéresse pas|geen (?:tijd|zin|interesse)|niet geïnteresseerd)\b
    \b(?:leider nicht|lieber nicht|keine? (?:interesse|lust|zeit)|wrong (?:person|address))\b
    \b(?:(?:non|no|nein),? (?:merci|gracias|danke)|(?:jetzt|heute) nicht|pas (?:maintenant|envie)|ahora no)\b
    \bi (?:don't|do not|can't|cannot|won't|will not|couldn't|could not|am not|never)\b(?! mind|KNOW)
    \b(?:i|we) (?:didn't|did not|haven't|have not) (?:ask|sen[dt]|writ|request|sign|register|want|order|do(?:ne)? )\w*
    \b(?:(?:was|is)n't|(?:was|is|it's|that's) not) (?:me|mine|from me|by me|sent by me|my (?:mail|doing|account))\b
    \b(?:somebody|someone) else\b|^(?:please )?(?:cancel|withdraw|deny|denied|ignore)\b
    \bi'm not\b(?! (?:sure|very|so|too|bad))|\bi(?:'d| would) not\b
    """
)
"""A clause that declines."""

_BEFORE_YES = r"^(?:(?:oh|well|hm+|and|thanks|thank you|thx|please|sorry|hey|a|ok|okay)[\s,.!-]*)*"

YES = any_of(
    r"""
    (?:yes|yeah|yep|yup|yea|ja|jawohl|oui|s[ií]|sim|да|tak|joo|kyllä|evet|hai|はい|gerne?|natürlich)\b
    (?:はい|もちろん)?(?:(?:よろしく)?お願いします|もちろん|喜んで|いいですよ|(?:ぜひ|是非)(?:やりましょう)?|やりましょう)$
    (?:(?:na |aber )?klar|bien sûr|volontiers|claro|por supuesto|vale)\b(?! que no| la pena)
    (?:geht klar|mais oui|avec joie)\b|(?:warum nicht|pourquoi pas|waarom niet)$
    (?:por qu[eé] no|perch[eé] no|por ?que n[aã]o)$
    (?:d'accord|de acuerdo|va bene|certo|akkoord|está bem|com prazer)\b|goed$
    (?:avec plaisir|con gusto|volentieri|with pleasure|my pleasure|of course\b(?! not))\b
    (?:accept(?:ed)?|agreed|certainly|definitely|absolutely|gladly)\b(?! not)
    (?:i(?:(?:'d| would) like to| want to)? (?:hereby )?)?confirm(?:ed|ing)?\b|activate\b
    (?:je )?confirme\b|(?:ich |hiermit )*bestätig(?:t|e)\b
    (?:(?:it|that|this) (?:was|is)|it's|that's) (?:really |indeed )?me\b|correct$
    (?:i accept|i agree|why not|sign me up)\b|(?:deal|let me in|y|ya|da|aye|i will)$
    (?:go ahead|do|very well|you're on|you bet)$
    (?:(?:i want to|let me) )?(?:sign up|register|subscribe)(?: (?:up|now|here))?$
    """,
    _BEFORE_YES,
)
"""A clause that agrees to anything that was asked."""

KEEN = any_of(
    r"""
    (?:count me in|bring it on|challenge accepted|game on)\b|(?:i'm|i am) in(?: for (?:a|the|one|this) .{1,30})?$
    (?:i'd|i would|would|i'll|i will|i) (?:(?:really|very much|be|gladly|certainly|definitely) )*LIKE\b(?! to know)
    (?:sounds|looks) (?:good|great|fun|nice|like fun|interesting)\b|let's (?:play|go|do|try|start|begin|have a)\b
    (?:that(?:'d| would)|would) be (?:fun|great|nice|lovely|a pleasure)\b
    i(?:'m| am) (?:happy|glad|ready|game(?! over)|up for|interested|keen|delighted)\b(?! in (?:how|what))
    (?:(?:i want to|let me) )?(?:join|start|begin)(?: (?:in|now|here))?$
    (?:great|cool|nice|fine|perfect|wonderful|super|awesome|fun|ready when you are)$|(?:love|happy|glad) to\b
    (?:i'll|i will) take you on$
    """,
    _BEFORE_YES,
)
"""A clause that agrees only to a game."""

WEAK_YES = re.compile(r"^(?:ok(?:ay|ey|i)?|sure|alright|all right|fine)\b")
"""Words that agree, but also begin a question."""

QUESTION = any_of(
    r"""
    \?$|^(?:what|who|how|why|where|which|when|is this|are you|can you|could you|do i|do you|does|shall|should)\b
    ^(?:help|rules|info|information|tutorial)\b|\b(?:tell me more|more (?:info|information|about)|explain)\b
    """
)

REPLY = any_of(
    r"(?:(?P<yes>(?:yes|y|yeah|yep|yup|sure|of course|agreed|deal|ja|gerne?|einverstanden|angenommen|oui|d'accord|sí"
    r"|vale|de acuerdo|va bene|certo|sim|está bem|akkoord|(?:na )?klar|natürlich|bien sûr|volontiers|claro(?: que sí)?"
    r"|por supuesto|natuurlijk|com certeza|(?P<weak>ok(?:ay)?|all ?right|fine(?: (?:by|with) me)?|go ahead"
    r"|no problem|no worries))(?:,? (?:go ahead|no problem|no worries|sure|fine))?)|"
    r"(?P<no>no?|nope|nah|no way|sorry,? no|nein|non))(?:,? (?:of course|gerne?|einverstanden|why not|deal|let's))?",
    after="AFTER",
)
"""A short answer to what the other player asked; a weak yes agrees to no draw, which ends the game."""

THANKS = any_of(
    r"""
    (?:many )?(?:thanks|thank you|thx|cheers|merci|danke|gracias)(?: (?:a lot|so much|very much|again|you|for .{1,60}))*
    (?:vielen |besten )dank|danke (?:sehr|schön|dir)|merci (?:beaucoup|bien)|(?:muchas|mil) gracias
    ok|okay|great|good|nice|super|perfect|fine|cool|wow|excellent|got it|understood|i see|alright|all right|hello|hi|bye
    (?:(?:that|this|it)(?:'s| is| was) )?(?:very |so |really )?(?:kind|nice|helpful|good|great|clear|interesting)
    (?:good|nice|great|interesting|kind) (?:to know|of you)
    (?:what a |a )?(?:good|great|nice|fine|lovely|close|hard) game|well played|gg|good luck|see you(?: .{1,20})?
    (?:that|this|it)(?:'s| is| was) (?:(?:so|really|great|a lot of|much|good) )*fun|fair enough
    (?:kind |best )?(?:regards|wishes)|many thanks|grazie(?: (?:mille|tante))?|mille grazie|(?:muito )?obrigad[oa]
    dank (?:je|u)(?: wel)?|bedankt|hartelijk dank
    (?:(?:i )?(?:hope you )?(?:have|enjoy)|(?:i )?wish(?:ing)? you) (?:an?|the|your) NICETIME|NICEDAY
    take care|(?:(?:einen )?schöne[nrs]?|guten) (?:tag|abend|woche|wochenende|feierabend)(?: noch)?
    (?:bonne (?:journée|soirée)|bon week-?end)|buen (?:día|fin de semana)|buona (?:giornata|serata)
    (?:een )?(?:fijne|prettige) (?:dag|avond|weekend)|bo[am] (?:dia|fim de semana|semana)
    """,
    "BEFORE",
    "AFTER",
)
"""A sentence of courtesy."""

PARTING = any_of(
    r"""
    (?:that is|that's) (?:fair|fine|ok|okay|good)|(?:(?:i|we) )?(?:accept|agree)(?: to)? OFFER|a draw it is
    """,
    "BEFORE",
    "AFTER",
)
"""A sentence that may accompany a yes or a no to an offer."""

_REGARDS = r"""
    (?:with |my )?(?:(?:best|kind|kindest|warm|warmest|many) )?(?:regards|wishes|greetings)|all the best
    (?:yours )?(?:sincerely|truly|faithfully)
    (?:(?:mit )?(?:freundliche|beste|herzliche|liebe|viele|schöne)[nr]? )?gr(?:ü|ue)(?:ß|ss)en?|gru(?:ß|ss)|mfg|lg|vg
    (?:bien )?cordialement|bien à (?:vous|toi)|amicalement|salutations|bonne (?:journée|soirée)|à bientôt
    (?:un )?saludos?(?: cordiales)?|(?:(?:cordiali|distinti) )?saluti|atenciosamente|abraços
    (?:met )?vriendelijke groet(?:en)?|groet(?:en|jes)?|med vänlig(?:a)? hälsning(?:ar)?|(?:med )?vennlig hilsen|mvh
    (?:med )?venlig hilsen|pozdrawiam|с уважением
    """

CLOSING = any_of(
    _REGARDS.rstrip()
    + r"""
    best|cheers|yours|thanks(?: a lot| in advance)?|thank you|take care|bye|br|merci|danke|gracias|grazie
    """,
    r"(?i)\n[ \t]*",
    r"(?:[\s,!.-]+(?:\w[\w.'-]*+[ \t]*+){0,4})?(?=\s*(?:\n|$))",
)
"""The line that closes a letter, above or together with the writer's name."""

REGARDS = any_of(_REGARDS, "\n", r"[\s,!.-]*+(?:[^\W\d_][\w.'-]{0,20}+[\s,!.-]*+){0,4}")
"""Such a line, in lower case, that can only close a letter; "thanks" may also open one."""
