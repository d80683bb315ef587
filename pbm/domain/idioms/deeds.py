"""Sentences that ask for an act on a board, and words that take a move back."""

from __future__ import annotations

import re

from pbm.domain.idioms.patterns import any_of

ACTS = {
    name: any_of(rows, "BEFORE", "AFTER")
    for name, rows in {
        "swap": r"""
            WISH?(?:(?:do|make|play|take|accept|use|choose) )?(?:(?:a|the) )?swap(?: with you| sides)?
            WISH?(?:swap|switch|change|exchange) (?:(?:the|our) )?(?:sides|colou?rs|seats|places)(?: with you)?
            (?:let's|let us|let me|i am|i'm) swap(?:ping)?(?: sides| colou?rs)?|swap it is|my move(?: is|:) swap
            WISHtake (?:over )?your (?:side|colou?r|stone|move)
            (?:ich )?(?:(?:möchte |will )?tauschen|(?:tausche|wechsle)(?: (?:die )?(?:seiten|farben))?)
            (?:die )?(?:seiten|farben) (?:tauschen|wechseln)|j'échange(?: les (?:couleurs|côtés))?
            je change de (?:couleur|côté)|cambio de (?:color|lado)
            (?:(?:je voudrais|quiero|vorrei|ik wil|quero) )?(?:échanger|cambiar|scambiare|ruilen|trocar)
            """,
        "resign": r"""
            WISH?(?:resign|give up|concede|surrender|forfeit|throw in the towel)(?: THEGAME| here)?SOMEBODY?
            (?:i(?:'m| am) )?(?:resigning|giving up|conceding|forfeiting)(?: (?:the|this) (?:game|match))?
            (?:ich )?(?:gebe? (?:(?:das|dieses) spiel |die partie )?auf|resigniere|möchte aufgeben|will aufgeben)
            je? ?'?(?:abandonne(?: la partie)?|déclare forfait)|aufgeben
            (?:yo )?(?:me rindo|abandono|me retiro)(?: la partida)?
            (?:je me rends|j'arrête)(?: la partie)?|abandon(?:ner|ar)|(?:mi arrendo|(?:io )?abbandono)(?: la partita)?
            ik (?:geef (?:(?:het|de partij) )?op|stop(?: ermee)?)
            (?:eu )?(?:desisto|abandono)(?: (?:do jogo|(?:d?a )?partida))?
            (?:ich )?(?:möchte|will) (?:das spiel|die partie|unser spiel) (?:beenden|aufgeben|abbrechen)
            (?:you win|you won|you have won)[\s,.!-]+i (?:resign|give up|concede)
            WISH?(?:quit|stop|leave|end|abort|abandon|cancel|exit|delete|remove)(?: (?:playing|THEGAME))+
            WISH?(?:quit|abandon|abort)|exit|i (?:don't|do not) want to (?:play|continue)(?: (?:any ?more|any longer))?
            i (?:resign|give up|concede)[\s,.!-]+(?:you win|you won|well played|good game|gg)
            """,
        "draw": r"""
            draw|propose|remis|tie|tablas|(?:a )?draw\?|WISHa draw|i(?:'d| would) like a (?:draw|tie)
            (?:WISH|i(?:'m| am) )?(?:offer|propos|suggest|claim|ask|agree)(?:e|ing)?TIE
            (?:how|what) about a (?:draw|tie)\??|(?:(?:do )?you )?(?:want|fancy|up for|happy with) a (?:draw|tie)\?
            (?:ich )?biete (?:dir |ihnen )?(?:ein )?(?:remis|unentschieden)(?: an)?|(?:je )?propose (?:la )?nulle
            (?:sollen|wollen|können) wir (?:remis|unentschieden) (?:machen|spielen)\?
            (?:can|could|may|might) i (?:please )?(?:have|get|offer|propose) a (?:draw|tie)\?
            is a (?:draw|tie) ok(?: .{1,20})?\?
            (?:on fait |faisons )?(?:match nul|(?:partie )?nulle) ?\?|(?:empate|patta|pari|remise) ?\?
            (?:let's|let us) end (?:it|this)(?: game)? (?:with|in|as) a (?:draw|tie)
            (?:(?:te|le) )?(?:ofrezco|propongo) (?:tablas|empate)|propongo (?:la )?patta|ik bied remise aan
            (?:remis|unentschieden|(?:partie )?nulle|tablas) ?\?
            (?:shall|should|can|could|may) we (?:call it|agree (?:on|to)|make it|have|say) (?:a )?(?:draw|tie)\??
            (?:let's|let us|we could) (?:call it|agree (?:on|to)|make it|have|say) (?:a )?(?:draw|tie)\??
            (?:would|will|do|could) you (?:accept|take|agree to|like|want) a (?:draw|tie)\?
            (?:can|could|shall|should|want to|do you want to|may) (?:we |i )?(?:draw|remis|tie|offer a draw)\?|remis\?
            """,
        "accept": r"""
            WISH?accept|WISH?(?:accept|agree to|take) OFFER|accepted
            (?:the )?(?:draw|offer|undo|takeback) (?:is )?accepted|(?:a )?draw it is
            AGREED(?:,? (?:to|for|with|on|pour|zum?|mit|für|auf|con|per|por|para|voor|met|com|al?))? (?:ARTICLE )?DRAWN
            j'accepte|accetto|acepto|(?:eu )?aceito|ik accepteer|ich nehme (?:(?:das|dein) (?:angebot|remis) )?an
            yes[\s,]+you (?:may|can) (?:undo|take (?:it|that) back)
            """,
        "reject": r"""
            WISH?(?:reject|decline|refuse)(?: OFFER)?|i (?:don't|do not) accept(?: OFFER)?|no (?:draw|undo|takeback)
            (?:the )?(?:draw|offer|undo|takeback) (?:is )?(?:rejected|declined|refused)
            (?:ich )?lehne ab|je refuse|rifiuto|rechazo|(?:eu )?recuso|ik weiger|non[\s,]+on continue
            no[\s,]+(?:let's|let us) (?:play on|go on|continue|keep playing)
            """,
        "undo": r"""
            (?:undo|take ?back)(?: (?:LAST|please))*|(?:(?:let me|please) )?take LAST back
            (?:let me|please) (?:undo|take back)(?: LAST)?
            WISH?(?:undo|take back|retract|withdraw)(?: LAST)?
            WISH?(?:request|ask for) (?:an? )?(?:undo|takeback|take back)
            (?:OOPS)?(?:WISH|(?:can|could|may|might) (?:i|we) )(?:please )?(?:take|have) LAST back(?: please)?\??
            (?:can|could|may|might) (?:i|we) (?:please )?(?:undo|take ?back|retract)(?: LAST)?\??
            (?:can|could|may|might) (?:i|we) (?:please )?have (?:an? )?(?:undo|takeback)\??|(?:undo|take ?back)\?
            (?:WISH|(?:can|could|may|might) i )(?:please )?(?:change|correct) my (?:last )?move\??
            (?:(?:oops|sorry|oh no|damn)[\s,.!]+)?(?:that was )?(?:the |a |my )?(?:wrong move|misclick)
            (?:(?:hoppla|ups|sorry|oje|entschuldigung)[\s,.!]+)?falscher zug
            (?:(?:kann|darf|könnte) ich )?(?:das|(?:den|meinen) (?:letzten )?zug|zug) (?:bitte )?zurücknehmen\??
            zug zurück(?: bitte)?|(?:posso|kan ik|puis-je) (?:annullare|desfazer|annuler|ongedaan maken)(?: .{1,20})?\??
            (?:(?:kan|mag) ik )?(?:(?:mijn|de) )?(?:laatste )?zet terug(?:nemen)?\??
            (?:puis-je|je peux|je voudrais) (?:reprendre|annuler) (?:mon|le) (?:dernier )?coup\??
            (?:puedo|quisiera) (?:deshacer|retirar) (?:mi|la) (?:última )?jugada\??
            """,
        "pass": r"""
            WISH?(?:also )?(?:pass|skip)(?: (?:my|this) (?:turn|move))?(?:,? (?:too|also|as well))?
            (?:i(?:'m| am) )?passing|my move(?: is|:) pass
            (?:ich |je )?passe(?: mon tour)?|(?:yo )?paso(?: (?:mi )?turno)?
            """,
        "claim": r"""
            WISH?claim(?: (?:the|my|this))?(?: (?:win|game|victory|match))?(?: on time)?|i (?:win|won|have won) on time
            """,
        "rules": r"""
            (?:the )?(?:rules|help|instructions|how to play)\??|how to (?:win|play|move)\??
            (?:what|which|where) (?:are|is) the (?:rules?|aim|goal|instructions)(?: (?:of|again|here).*)?\??
            how (?:do|can|does) (?:i|one|you|we) (?:win|play|(?:make a )?move)(?: (?:here|it|at|this|the|game))*\??
            how (?:do|can) (?:i|one|we) (?:win|play)(?: (?:at|in))? [a-z]{1,20}\??
            how does (?:this|it|this game|the game) work\??|what(?:'s| is) this game(?: about)?\??
            (?:(?:can|could|would|will) you )?teach me (?:(?:the rules of|to play|how to play) )?[a-z]{1,20}\??
            (?:what(?:'s| is) )?the (?:goal|aim|object)\??|explain (?:me )?(?:the )?(?:rules|game)
            what do(?:es)? (?:the )?(?:letters|numbers|signs|symbols|dots|circles|brackets|[ox])(?: and [ox])? mean\??
            what(?:'s| is| does) (?:a |the )?swap(?:ping)?(?: mean)?\??|how does (?:the )?swap(?:ping)? work\??
            (?:tell|send|show|see|read|remind)(?: me)? (?:of |about )?(?:the )?rules(?: of (?:the|this) game)?\??
            (?:wie (?:sind|lauten|waren) )?(?:(?:noch ?mal )?die )?(?:spiel)?regeln(?: von \w{1,20})?\??
            wie (?:spielt|zieht|gewinnt) man(?: das| hier)?\??|ich verstehe die regeln nicht
            (?:quelles sont )?les règles(?: du jeu)?\??|comment (?:on joue|joue-t-on|jouer|on gagne)(?: ici)?\??
            (?:cuáles son )?las reglas(?: del juego)?\??|cómo se (?:juega|gana)(?: aquí)?\??
            (?:can|could|may|how do) i (?:swap|pass)(?: (?:now|here|sides|please))*\??
            i (?:don't|do not|no) (?:know|understand) (?:the rules|how to (?:play|move)|th(?:is|e) game)
            (?:where|what|which moves|what moves) (?:can|may|do|should) i (?:play|move|go|put|make|do)(?: .{1,30})?\??
            (?:(?:list|show|send|give|tell)(?: me)? |(?:what|which) are )?(?:all )?(?:(?:my|the) )?LAWFUL moves\??
            (?:what|which) (?:LAWFUL )?moves (?:are (?:there|LAWFUL)|do i have)(?: (?:now|here))?\??
            what are my options\??
            (?:(?:was|welche) sind )?(?:die )?(?:erlaubten?|möglichen?|legalen?) züge\??
            (?:quels sont )?les coups (?:possibles|légaux)\??|(?:cuáles son )?(?:las )?jugadas (?:posibles|legales)\??
            (?:can|could|would) you (?:explain|send|tell me) (?:me )?(?:the )?(?:rules|game|how to play)\??
            """,
    }.items()
}
"""The act for each name: whole sentences that ask for it."""

OF_A_DRAW = any_of(
    r"""
    (?:an?|the|it'?s|is|as|for|want|offer|accept|agree) (?:draw|tie)|(?:draw|tie)\?|stalemate|remise?|unentschieden
    match nul|(?:partie|la|une) nulle|tablas|empate|patta|pareggio|gelijkspel
    """,
    r"\b",
    r"(?!\w)",
)
"""Words that speak of a draw; found anywhere."""

MISTAKEN = re.compile(r"\b(?:i (?:meant|wanted|intended)|instead)\b")
"""Words around a move that is to replace the last one; searched for anywhere."""

MISHAP = re.compile(r"\b(?:wrong (?:cell|square|field|place|spot|key|hex|edge)|misclick\w*|typo)\b")
"""The same, if no move is named."""

REGRET = re.compile(
    r"\b(?:take (?:\w+ )?back|change my move|zurücknehmen"
    r"|mistake|wrong (?:one|move)|misclicked|i meant|falsch\w*|vertan|verklickt|vertippt|trompée?|sbagliat[oa]"
    r"|equivoqu\w+|equivocad[oa]|vergist|verkeerde?|engan(?:ei|ad[oa]))\b"
)
"""Words of a player who may want their last move back; searched for anywhere."""
