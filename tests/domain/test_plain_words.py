"""Three hundred human wordings and what each must lead to: answers to invitations, first mails, moves, thanks."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

import pytest

from games import GAMES
from games.rules import MoveError
from pbm.domain import meaning as meanings
from pbm.domain.consent import Answer, consent, introduced
from pbm.domain.idioms import moves
from pbm.domain.meaning import Act, meaning
from pbm.domain.topics import ERASURE, question, topic
from pbm.domain.wanted import Wish, lost, starts, wished

T = TypeVar("T")
YES, NO, NEVER, ASKS, UNCLEAR = Answer

INVITATIONS = {
    YES: r"""
        yes|Yes!|y|YES PLEASE|ok|OK!|Okay.|sure|Sure!|sure, why not|Sure thing|Yep|yeah|Yes, please
        yes please, with pleasure
        Hi Anna, yes I'd love to!|Hello Anna! Yes.|Dear Anna, I would love to play.|I'd love to
        I would be happy to play!
        I accept|I accept the challenge|Accepted!|accept|Let's play!|let's go|Count me in|I'm in!|I am in|Of course!
        With pleasure
        Sounds like fun!|Sounds good to me|That would be great|Gladly!|Absolutely|Definitely!|why not|Why not?
        join|sign up|let me in
        Challenge accepted!|Bring it on!|Ja, gerne!|Ja|Oui, avec plaisir|Sí|Da|Great, let's go|Cool!
        no problem, I'd love to play
        Geht klar|Mais oui|avec joie|¿Por qué no?|perché no|porque não|waarom niet|ok but I am slow
        Klar!|Na klar, gerne|Warum nicht?|Bien sûr|Volontiers !|Claro que sí|Por supuesto|Vale
        Yes, but I have never played this|Yes! How does it work?|I don't mind, yes|Hey, of course I want to play.
        Yes.\n\nBest wishes\nJoe|Thanks for asking! Yes, I'll play.|I'm game|I am happy to try|Sign me up!
        Yes, I think it will be fun|Sure, after you!|Yes, see you later|Ja, ich habe erst gestern davon gehört
        Thank you, yes!|はい、お願いします|喜んで|いいですよ|もちろん|Yes, if you like|Ja, wenn du magst
        Sí, cuando quieras|Yes, whenever you are ready|Yes, when do we start?|Yes, not a problem at all
        I haven't played it before. I'd like to try it.|I can't wait! Yes!|Yes, I am not very good though|deal""",
    NO: r"""
        no|No.|n|nope|Nah|No thanks|no thank you|No, thank you!|Hello Anna! no thank you|Hi Anna,\nno.|Sorry, no
        I'm afraid not
        No! Who are you?|Not interested|not interested, sorry|Not now|not today|Maybe later|Maybe another time
        I'd rather not|I would rather not|I don't want to play|I do not have time|I have no time|Thanks, but no thanks
        Thanks for inviting me, but I don't have time|I'd love to, but I can't|I would love to but I am too busy
        Sounds fun but I can't right now|I decline|decline|I must decline|I have to pass|I'll pass|Count me out
        Nein danke|Keine Lust|keine Zeit, leider|lieber nicht|Heute nicht|Pas maintenant|Ahora no
        nein|Non merci|non|Not for me|That's not for me, thanks|I can't|I won't play|wrong person
        You have the wrong address
        No, I'm Joe|No thanks, I'm busy|Unfortunately I don't have the time.|Thank you, but not this time|no way
        Pas le temps, désolé|geen tijd|Ik heb geen interesse|ça ne m'intéresse pas
        reject""",
    NEVER: r"""
        take me off your list|Take me off this list please|I don't know you, please stop|Please stop|STOP|stop it
        unsubscribe|Unsubscribe me|remove|remove me|Please remove me from your list|Please remove my address
        Don't write to me again|Do not contact me|Never write to me again!|Stop mailing me|stop sending me this
        leave me alone|Leave me alone!|no more mail|No more mails please|No, and never again|never|Never again
        I don't want any more emails|please delete my address|Who are you? Do not email me.|This is spam
        No thanks. Please don't invite me again.|I want to opt out|Stop spamming me""",
    ASKS: r"""
        What is this about?|Who are you?|What is this|how does it work?|How do I play|Is this spam?|help|help cross
        rules|Who are you? I don't remember an Anna.|I don't understand. What is this?
        What are the rules?|Do I have to pay?|Can you tell me more?|Please tell me more|Ok, what is this?
        Yes? Who is this?|Accept? What does this mean?|Yes, tell me more|Yes, this is Bob. What is it about?
        Sure, but who are you?|Sounds fun but how does it work?|Great, but what does it cost?
        Where did you get my address?|Are you a robot?|I've never heard of this. What is it?|Do I know you?""",
    UNCLEAR: r"""
        Sure, if you give me more time|Yes if I can be white|Ja, wenn du mir mehr Zeit gibst|Yes, once my exams are over
        Oui, si tu me laisses commencer|Sí, cuando vuelva de vacaciones|Sure, in two weeks|Ok, tomorrow
        Sí, pero la semana que viene|Va bene ma la prossima settimana|Vale, pero más tarde|sim, mas depois|Gerne später
        Ja hoor, maar pas volgende week|Tak, ale później|Ja, men inte nu|はい、でも今はだめです|Gern ein andermal
        I'd love to if I had time|I'd be happy to play next year|Alright, let me read the rules first|I'm in a meeting
        Ok, wait a minute|Great, another spam
        I would like to, but my doctor forbids it|I'm in Spain until May|Absolutely no way|Ja, bitte mehr Informationen
        Hello|Hi Anna|D4|d4!|A-D|cross|thanks|Thank you|maybe|Perhaps|I'm not sure|hm|signup|move D4|...
        I would like to know more|The name means nothing to me.|I know the name Anna|Don't use the name Joe
        Yes. No.|test|12|Yes, no|resign|swap|not sure|Not sure yet|Claro que no|play|spielen
        okay I'll think about it|Ok, I'll let you know|Sure, let me think|Yes. I'll sleep on it|ok, later|okay maybe
        Sure, after Christmas|Yes, ask me again in March|OK noted, will answer tomorrow|Yes, but please don't start yet
        Gerne, aber erst im Januar|Ja, ich überlege es mir|Oui, je vais réfléchir|certo, ci penso|考えておきます""",
}  # fmt: skip

AGREED = r"""
    yes|Yes please|Yes!|yes, let's play|ok|OK, thanks|Okay|Sure|Sure thing|Sure, why not|Sure, I'd love to
    I'd love to|I'd love to!|I would love to play|Gladly|With pleasure|Accept|I accept|I accept your challenge
    accepted|Agreed|Yep|Yeah|yup, let's go|Let's do it|Let's go|Bring it on|Bring it on!|Game on|You're on
    I'm in|Count me in|Hi Alice, yes please|Hello, I accept. Good luck!|Yes, good luck and have fun
    Happy to play|I'd be happy to|Of course|Absolutely|Certainly|Definitely|Sounds good|Sounds good, let's play
    Sounds great!|Great, thanks|That would be great|Fine|Fine by me|Fine with me|y|ya|yes :-)
    Yes, thank you for the invitation|Thanks for the invitation, I accept|Thank you, yes
    Dear Alice, yes, gladly. Bob|Yes.\n\nCheers,\nBob|Ok, let's start|Go ahead|Please do|Why not|why not?
    All right|Alright, let's play|Very well|Ready when you are|I'm ready|I will|Yes, I'll play|I'll take you on
    Challenge accepted|Yes. It has been a long time since we played. Hope you are well!
    Yes. I have never played this game, be gentle.|Hi!\n\nYes, happy to. How is the family?\n\nBob|Deal
    Yes please, I've been looking for an opponent!|ok, why not :)|Sure! I haven't played since school.
    Hello Alice,\nnice to hear from you. Yes, let's play.\nBob|Yes, with great pleasure!
    Yes I would love to play with you|Yes. I hope you're doing well.|Sure Alice|Absolutely, let's do it!
    I'd love to. Thanks for asking!|I'd be delighted to play against you|Yes, that sounds great|ok great
    yes yes yes|YES!!!|Yes. This will be fun.|Of course, Alice. You always beat me.
    Thanks for the challenge. Accepted.|Yes, I accept your challenge. May the best player win!|Sure, sounds fun.
    ok, I'm in|Yep, game on|Yes, thank you. I love this game.|Yes, I am a beginner.|Yes, it's been ages!
    Why not, sounds like fun|let's have a game|Yes. Greetings from Berlin!|Yes.\nThanks,\nBob|okey
    Okay, good luck!|Yes, you're on!|yes i accept|I agree|Sure. Be nice to me, I am new.|Yes, I'd like that
    Yes, I'd like that very much|That'd be lovely|Love to!|Would love to|Ja, sehr gerne|Oui, merci|Sí, gracias
    Ok :)
"""
LIMITED = r"""
    no|No thanks|No, thank you|Sorry, no|nope|Not now|Not now, thanks|Maybe later|Maybe|Perhaps
    I'd love to, but I'm swamped until March|I'd love to, however I have no time
    I'd love to when I'm back from holiday|I'd love to, sadly I can't|I'd love to. Sadly I can't.
    Yes, but not before Monday|Yes, but only if I play white|Yes, if we play on size 11
    Yes if you give me 7 days a move|Sure, as soon as my exams are over|Sure, after Christmas|Sure, next month
    Ok, provided it is unrated|Okay as long as it isn't rated|Yes, with 5 days per move please
    Yes, on a bigger board please|Yes, can we make it Hex instead?|Sure, how about Go instead?
    Happy to play once I've finished my other games|Happy to play, just not this week|Let me think about it
    I'll think about it|Let me check with my wife|Who are you?|What are the rules?|How long does a game take?
    Is it rated?|Yes? What is this?|Yes or no, I don't know yet|I can't|I cannot accept|I don't accept|I decline
    declined|reject|I'd rather not|I would rather play chess|Sounds good, will let you know
    Sounds good. Give me a few days to decide.|Thanks, I will consider it|Thanks for asking
    Thank you for the invitation. I am too busy at the moment.|Yes, I got your mail|Yes I know this game
    Yes, I remember you|Yes, that's a pity but no|Sure you want to lose again?|Fine, but let's wait until Friday
    Ok, when?|Ok I'll look at it tomorrow|Okay, I will get back to you|Great game, but I have no time
    Of course not|Definitely not|Absolutely not|Certainly not this month|Why not next week?
    Sure, once the baby sleeps|Yes, in January|Yes. In January.|Yes.\n\nBut only from next week on.
    I accept.\n\nOne thing: can I have the first move?|I accept, on one condition
    Agreed, subject to 10 days a move|Yes, unless you mind waiting|Gladly, when my arm is better
    With pleasure another time|I'd be happy to in the spring|I'd love to some day|I wish I could
    I would if I could|I was hoping you'd ask, next year|Not really|Not sure|Sure?|Ready in a week
    I'm in hospital|I'm in Paris until Sunday|I'm out|Count me out|Game over|You're kidding
    All right, tell me more first|Go ahead and find somebody else|Please don't|Please cancel
    Ask Carol, she would love to|Bob would love to play|I used to love to play|I'd have loved to
    I'd love to, give me a week|I'd love to. Give me a week.|I'd love to, work permitting|Yes, health permitting
    Yes, depending on the pace|Yes, except on weekends|yes to Hex, no to Go|Yes... although I'm rather busy
    Sure, though it may take me a while before I can start|Ok but slow|Ok, slow please
    I'd love to, my laptop is broken though|Love to, away till May|Yes, from Monday|Yes, but
    Yes, assuming we start in a fortnight|Sure, whenever I get home from the hospital
    I'd love to, just let me finish my thesis|I'd like to, it's just that my eyes are bad
    I'd love to! Unfortunately I'm about to travel.|Sounds great! My schedule is full though.
    Ok, but please a smaller board|OK, white please|Yes, I'd like to move first
    Yes, provided that there is no clock|Yes, best of three please|Sure, in exchange for a rematch
    Yes, a slow one|Yes, unrated|Yes - casual only|Sure, I'll get back to you|Yes, possibly|Yes, in theory
    In principle yes|Yes and no|Sure, ask me at the weekend|Great idea! After the holidays?
    I'd love to play, my wife says no|Accepted, pending my boss's approval|Okay, gimme a sec
    Sure, talk to you in June|I'd love to play Chess|Yes, Dots please instead|Fine, whatever
    I'd love to play but on another day|Yes, on Sunday|ok, Sonntag|Oui, lundi|Sí, el lunes|Ja, aber langsam
    Gerne, nach dem Urlaub|Ja, nächste Woche|I'd be happy to. When I'm well again.|Yes it's a pity
    Yes, a shame I can't|Cool, how about size 5?|Good luck finding somebody|Nice try|Good one
    I would accept if it were unrated|Sure, subject to availability|Yes. At Easter.
    Yes. Once I have finished the other games.|Okay then later|Yeah right|Yeah, right!|As if|Ok no|ok, not|y tho
    Yes to the draw
"""
"""Answers that start no game: a no, a question, or a yes with a time, a condition or a wish."""

NAMED = {
    "joe": "", "Joe.": "", "I'm Joe": "", "My name is Joe": "Joe", "sign me up as joe": "joe",
    "name: joe": "joe", "Name = joe": "joe", "Yes, I'm Joe": "Joe", "yes joe": "joe", "Yes, joe": "joe",
    "yes: joe": "joe", "Yes, call me Joe!": "Joe", "ok, joe": "joe", "Great, let's go. My name is Zoe.": "Zoe",
    "Yes. Name: Zoe": "Zoe", "yes, as zoe": "zoe", "Hi Anna, this is Zoe. Yes!": "Zoe", "Sign me up as zoe": "zoe",
    "yes Anna": "", "Yes, Anna!": "", "yes please": "", "Yes thanks": "", "yes indeed": "", "I'm in": "",
    "I'm happy to play": "", "Yes, I'm new here": "", "yes sir, I'm ready": "", "remove": "", "D4": "",
    "Oui, volontiers. Je m'appelle Paul.": "Paul", "ok but I am slow": "", "yes, gladly": "",
    "No, I'm Joe": "", "yes cross": "", "yes signup": "", "Yes!\n\nSent": "", "I'm not sure": "",
}  # fmt: skip

FIRST_MAILS = {
    "joe": "joe", "Joe": "Joe", "I'm Joe": "Joe", "Hi, I'm Joe!": "Joe",
    "Hello, my name is Joe and I'd like to play.": "Joe", "Hello! I am Joe. How does this work?": "Joe",
    "name: joe": "joe", "Hi there\n\nI'm joe": "joe", "call me zoe": "zoe", "userid: zoe": "zoe",
    "Hello, how does this work?": "", "Hello": "", "hi": "", "help": "", "Who are you?": "", "I want to play": "",
    "I'm interested": "", "How do I sign up?": "", "signup": "", "test": "", "Hi, I am new here": "", "thanks": "",
    "Kim 😀": "Kim", "Tom here": "Tom", "Anna Smith": "Anna", "im kim lets go": "kim", "name's Bob": "Bob",
    "Hallo, ich bin Klaus": "Klaus", "Bonjour, je m'appelle Pierre": "Pierre",
    "join": "", "register": "", "sup": "", "yo": "", "joe?": "", "Good Morning": "", "👋": "",
    "I'd like to play a game of Cross.": "", "Can I play?": "", "play": "", "yes": "", "stop": "", "start": "",
    "subscribe": "", "I'm a friend of Bob.": "", "cross": "",
    "Carla va bene, grazie!": "Carla", "Karl bitte": "Karl", "Tom's fine": "Tom", "I'll be Tom": "Tom",
    "Carla. Thanks!": "Carla", "kim pls": "kim", "I would like the name Tom": "Tom", "Grazie": "", "Merci": "",
    "Sounds good": "", "looks good, thanks": "", "may I play?": "", "received, thanks": "", "She's ok": "",
    "many thanks": "", "tournament join": "", "Re: hello": "", "English, please": "",
    "The name means nothing to me.": "",
    "Alles klar": "", "Anna, nein danke": "", "I'll be back later": "", "Carla? No thanks": "",
}  # fmt: skip

MOVE, SWAP, RESIGN, DRAW, UNDO, PASS, ACCEPT, REJECT, CLAIM, RULES, SAY, UNSURE = Act

PLAYED = {
    ".{2,}": r"""
        MOVE!|MOVE.|MOVE :)|• MOVE|MOVE，谢谢！|MOVE。よろしくお願いします|MOVE thanks
        MOVE then|ok, MOVE|Ok, MOVE then.|So MOVE|Well, MOVE.
        MOVE, how are you?|MOVE - sorry for the delay|MOVE. Good luck!|MOVE! Your turn.|MOVE, good luck
        MOVE\n> OTHER\n> resign|I'll play MOVE to stop you|Please play MOVE for me|I'll take MOVE, what do you say now!
        Hi Bert,\n\nI'll take the center.\n\nMOVE|Hi Bert\nMOVE\nCheers, Ann|Sorry for the delay. MOVE
        sorry I'm late, MOVE|been busy, MOVE|I'm away until Monday, MOVE|sorry for the slow reply, MOVE
        Thanks!\n\nMOVE|MOVE\n\nThanks for the game!|MOVE it is|MOVE is my move|MOVE.\nSee you at 5.
        Hello Bert. I am in Paris on May 5. MOVE it is.|MOVE 👍|MOVE pls|me MOVE|ok MOVE lol|MOVE thx bye
        Ich ziehe nach MOVE|Dann nehme ich MOVE|MOVE, viel Glück|MOVE. Du bist dran.|MOVE Viele Grüße|MOVE lg Bert
        Je joue en MOVE|Alors MOVE|MOVE, à toi de jouer|Pongo en MOVE|MOVE, te toca|Ik zet op MOVE|Mijn zet is MOVE
        MOVE alsjeblieft|Gioco MOVE|Minha jogada: MOVE|bro MOVE|MOVE ur turn|MOVE love from Mum|MOVE xx
        MOVE\n\nI thought about OTHER, but no.|I play MOVE, not OTHER|MOVE, not OTHER|MOVE (not OTHER)""",
    ".*": r"""
        MOVE please|MOVE, please!|I play MOVE, good luck
        I play MOVE|I'll play MOVE|I will play MOVE.|I'd like to play MOVE|I'm going to play MOVE|I want to move to MOVE
        I go MOVE|I take MOVE|I remove MOVE|I'll go for MOVE|going with MOVE|Let me try MOVE!|Let's try MOVE
        My move is MOVE|my move: MOVE|My next move is MOVE :-)|Move: MOVE|Hello! My move: MOVE.|move MOVE|play MOVE
        I think I'll take MOVE|I guess I'll play MOVE|You played well, so I'll play MOVE|Nice move! I answer MOVE
        I am play MOVE|Move is MOVE|I would be delighted to play MOVE.
        I’ll play MOVE|I didn't see that coming, so I'll play MOVE""",
    r"(?!\d+$).{2,}": r"MOVE because it blocks you|MOVE and good luck|MOVE – let’s see",
    "[A-Za-z][0-9]+": r"""
        placing at MOVE|my turn MOVE|My dear friend, I shall place my stone upon MOVE. Kind regards, Harold
        I’ll take “MOVE” – let’s see
        (MOVE)|"MOVE"|I'll put my stone on MOVE, good luck|I place a stone at MOVE|I choose cell MOVE
        I fill MOVE|I put a man on MOVE""",
    "[0-9]+": r"edge MOVE|edge MOVE please|I'll remove edge MOVE|I cut MOVE",
    "([A-Za-z][0-9]*)-([A-Za-z][0-9]*)": r"""
        FROM to TO|FROM to TO please|I connect FROM to TO|I draw a line from FROM to TO|I move from FROM to TO""",
}  # fmt: skip
"""How people write moves, by the form of the notation; a single letter needs a sentence, or is the whole mail."""

CELLS = "D4|d4|D 4|d-4|4d"

ACTS = {
    SWAP: r"""
        swap|Swap!|I swap|I'd like to swap please|I would like to swap|Let's swap|Let's swap sides|swap please
        I'll take the swap|I want to swap sides|Tauschen|Ich tausche|Seiten tauschen bitte|J'échange|Cambio de lado""",
    RESIGN: r"""
        I resign|resign|I give up|I resign, thanks for the game|Thanks for the game, I resign|You win, I resign
        Well played! I resign.|I concede|quit|I quit|end the game|stop the game please|abort|leave the game
        I don't want to play anymore|I want to stop playing""",
    DRAW: r"""
        how about a draw|shall we call it a draw
        draw|draw?|offer draw|I offer a draw|How about a draw?|Shall we call it a draw?|Let's call it a draw
        I propose a draw|Would you accept a draw?|can we draw?|wanna draw?|draw pls|remis?""",
    CLAIM: "claim|I claim the win on time|I'd like to claim the game please|I win on time",
    UNDO: r"""
        undo|undo please|takeback|take back|Can I take that back?|May I take back my last move?|Can I undo?
        I'd like to take back my move|Oh, sorry, undo please|Kann ich das zurücknehmen?|Zug zurücknehmen bitte
        Hoppla, falscher Zug!|Puis-je reprendre mon coup ?|¿Puedo deshacer mi jugada?
        undo?|take back pls|can I change my move?|oops wrong move|Oops wrong one, can I take that back?""",
    PASS: "pass|I pass|I'll pass|pass please|I pass this turn",
    ACCEPT: "I accept|accept|I accept the draw|I accept your offer|I agree to the draw|Draw accepted",
    REJECT: "I decline|I reject the draw|no draw|No, let's play on|I decline your offer",
    RULES: r"""
        rules|the rules?|What are the rules?|how do I win?|How do I play?|how does this work?
        Can you explain the rules?|How do I move?|how do I win at cross?|can you teach me the rules of hex?
        whats the goal|explain rules pls|legal moves?|where can I play?|what is swap?|can I swap?""",
    SAY: r"""
        thanks!|Thank you|Thanks for the game!|nice move|Nice D4!|wow|hello|Hi Bert|Good luck and have fun
        See you at 5|I expected D4|D4?
        why not D4?|You should have played D4|If you play D4, I'll play E5|I would have played D4
        D4 would have been better|I never play D4
        I'll play D4 next time|D4, was that your plan?|I'll play D4 or E5|D4 or E5?|Shall I play D4?|Can I play D4?
        I won't play D4
        I don't think I'll play D4|When you play D4 I resign|I thought you would play D4|Maybe I'll play D4
        I was going to play D4
        should I resign?|I won't resign|I may resign soon|Never resign!|Why did you resign?|If I lose I resign
        I don't want to swap
        Did you swap?|Should I swap?|I can't pass|I am thinking about a draw|You offered a draw yesterday|What a move!
        I am away until Monday|I am 17|My phone is 12345|> D4|> D4\n> E5|I said I would play D4|After D4 I am lost
        Not D4|not D4, not E5|Why D4, not E5?|You should have played D4, not E5|Next move D4 kills you|idk, D4?
        I quit my job|I did not play D4, not E5|👍
        I can see that D4 was the threat, well done|I considered D4 and E5|Seiten tauschen?|Je passe une bonne soirée
        Sorry, was ill, or I would have played D4|Sorry for D4|Thanks for D4!|Ich passe auf dich auf
        Das war ein falscher Zug von dir""",
    UNSURE: r"""
        I play D4. No wait, E5.|D4\nE5|D4. E5.|I'll play D4. I resign.|D4\n\nswap|I play D4. Sorry, I meant E5.
        D4 and E5 are both bad for me|D4\nI thought about D4, but no.
        Ich spiele D4. Nein, E5.|D4\nnein, doch lieber E5|D4\noder lieber E5|D4\nStop, warte!|D4\nwarte, das war falsch
        D4\nnon, E5|D4\nOu plutôt E5|D4\nattends|D4\nespera|D4\nnee, E5|D4\nof toch E5|D4\nwacht even|D4\njk
        D4\nWait, let me think|My move: D4\nMy move: E5""",
}  # fmt: skip


WISHED = {
    Wish.TIME: r"""
        Please give me more time|give me more time please|Can I have more time?|Could I have two more days, please?
        I need more time|I need a few more days, sorry|Hi Bert, could you give me some more time?|more time please
        can I get another week?|need more time plz|one more day please|Can I have another two days?
        Can you give me three more days?|Please allow me some extra time|I'd like more time|I really need more time""",
    Wish.PAUSE: r"""
        Can we pause?|Shall we pause the game?|Let's take a break|Could we please pause until Monday?
        Please pause the game|can we stop the clocks for a week|Pause please|pause pls|pause?|adjourn""",
    Wish.REST: r"""
        I'm on holiday next week|I am away until Monday|I'll be on vacation from May 5|Sorry, I'm travelling this week
        I'm going on holiday tomorrow|I will be offline until Friday. Thanks!|I'm out of town""",
    Wish.REMIND: "remind me tomorrow|Can you remind me in two days?|Please remind me|send me a reminder please",
    Wish.LOOK: r"""
        show me the board|Show me the board please|what's the score?|What is the score now?|can I see the board?
        Whose turn is it?|how do things stand?|Please show the game again|who is winning?|Is it my turn?|show board
        am I X or O?|what color am I?|how much time do I have?|when is my deadline?|who won?|did you get my move?""",
    Wish.WHO: "who are you?|Who are you|Are you a robot?|Hello, who is this?|are you human?|Who am I writing to?",
    Wish.RIVAL: "Who am I playing?|who's my opponent?|Is my opponent a bot?|Am I playing a human or a robot?",
    Wish.BOARDS: "which games am I in?|list my games please|Is anybody waiting for me?",
    Wish.THANKS: r"""
        thanks|Thank you!|Thanks a lot!|ok|Ok, thanks|Great, thank you very much|Thank you for your help!|cheers|got it
        👍|Thx! 😀|thanks a lot!|Thank you! That is very helpful.|Thanks for the quick answer.
        Many thanks and best regards|Perfect!""",
    None: r"""
        I am lost|D4|Thanks. I play D4|lunch tomorrow?|I had more time yesterday|I'm on the left|Show me how you win
        You need more time than I do|I paused the music|Give me your best move!|who knows|what a score!|my board is
        remind yourself|Bin ich gut?|Wir brauchen eine Pause von allem|mehr Zeit hast du|the board is full|c'est à moi
        We are away from the edge, are we?""",
}  # fmt: skip


TOPICS = {
    "help resign": "how do I resign?|how can I give up|How do I quit the game?",
    "help undo": "how do i undo?|how can I take a move back?",
    "hint": "any hints?|best move?|what should I play?|pick one for me|give me a hint",
    "help mails": "too many mails|can you send fewer emails|how do I turn off the mails?",
    ERASURE: "delete my account|forget everything you know about me|borrar mi cuenta",
    "tournaments": "are there any tournaments?|I want to join a tournament",
    "robots": "which robots are there?|stronger opponent please",
    "help review": "can you review my game?|was that a mistake?|please analyse this game|was my last move bad?",
    "help puzzle": "stop the daily puzzle|daily puzzle please|no more puzzles",
    "help standings": "show rankings|top players|leaderboard|who is the best?",
    "about me": "what's my rating?|show my rating|who am I?|am I registered?|what is my username?",
    "help account": "I forgot my password|do I need a password?|how do I change my name?|how do I log in?",
    "all show me active": "show me all my games|my games|list my games|status|whats going on?",
    "list": "who is online?|list of players|who else plays here?",
    "help": "which games do you have?|do you have chess?|list games|games",
    "help seek": "find me an opponent|is there anybody to play with?|any1 wanna play?|play against a human",
    "help challenge": "can I invite a friend?|how do I invite my wife?|my friend wants to play",
    "help GAME": "rules of hex|teach me|I want to learn go",
    "help clock": "how long does a game take?|how does the clock work?",
    "help tutorial": "I'm new here|I am a beginner, where do I start?",
    "puzzle": "gimme a puzzle|do you have puzzles?",
    "test display": "I can't see the board|the board looks strange|picture please|dark mode?",
    "": "My cat is asleep.|Hello|I am ready|let's go|D4|thanks",
}  # fmt: skip

WANTS_A_GAME = (
    "I want to play hex|ok lets play|can I play against the computer?|start a game|new game please|I am ready|Go!"
)
WANTS_NONE = "can I play on my phone?|I played well|hello|is it free?|what a game"

LOST = "what is this?|help me|huh?|???|I need help|Help me please!|i no understand|I don't get it|what do I do now?"
NOT_LOST = "help cross|D4|I don't understand why you did that, I was winning|hello|what a move!|help yourself"


def rows(text: str) -> list[str]:
    """The wordings in a table's text."""
    return [row.replace("\\n", "\n") for line in text.strip().splitlines() for row in line.strip().split("|")]


def misread(read: Callable[[str], T], table: Mapping[T, str]) -> dict[str, T]:
    """The wordings of a table that are not read as their row says, and how they are read instead."""
    return {said: read(said) for meant, text in table.items() for said in rows(text) if read(said) != meant}


def legal(name: str, moves: Sequence[str] = ()) -> Callable[[str], str | None]:
    """Reads words as a move by the rules of a game after these moves; None if there is no such move."""
    game = GAMES[name]
    position = game.start(game.options(()))
    for move in moves:
        position = game.play(position, game.parse(position, move))

    def notation(words: str) -> str | None:
        try:
            return game.notate(position, game.parse(position, words))
        except MoveError:
            return None

    return notation


def test_an_answer_to_an_invitation() -> None:
    assert misread(lambda said: consent(said, ["anna"]).answer, INVITATIONS) == {}


def test_only_a_yes_without_limits_agrees_to_a_game() -> None:
    assert [said for said in rows(AGREED) if consent(said).answer is not YES] == []
    assert [said for said in rows(LIMITED) if consent(said).answer is YES] == []


def test_a_signature_limits_no_yes() -> None:
    assert consent("Yes\n\nBob Miller, May 2026 Ltd\nTel. 555-7788").answer is YES


def test_the_name_in_an_answer_to_an_invitation() -> None:
    assert {said: consent(said, ["anna"]).name for said in NAMED} == NAMED


def test_the_name_in_a_first_mail() -> None:
    assert {said: introduced(said) for said in FIRST_MAILS} == FIRST_MAILS


@pytest.mark.parametrize("said", ["I take 5 days off", "I'll do 3 more weeks", "I play 5 minutes a day"])
def test_a_number_that_counts_something_is_no_move(said: str) -> None:
    assert meaning(said, legal("crossgeo")).act is Act.SAY


def offered(name: str) -> tuple[str, str]:
    """Two possible first moves of a game."""
    game = GAMES[name]
    position = game.start(game.options(()))
    moves = [game.notate(position, move) for move in itertools.islice(game.moves(position), 50)]
    return moves[len(moves) // 2], moves[len(moves) // 3]


def wordings(move: str, other: str) -> Iterator[str]:
    """The ways in which people write a move."""
    for form, text in PLAYED.items():
        fits = re.fullmatch(form, move)
        if fits:
            start, end = fits.groups() or ("", "")
            for said in rows(text):
                yield said.replace("MOVE", move).replace("OTHER", other).replace("FROM", start).replace("TO", end)


@pytest.mark.parametrize("game", GAMES)
def test_a_move_in_plain_words(game: str) -> None:
    rules, (move, other) = legal(game), offered(game)
    for said in (*wordings(move, other), *(each.casefold() for each in wordings(move, other))):
        meant = meaning(said, rules)
        assert (meant.act, meant.move) == (MOVE, move), said


def test_a_cell_however_it_is_written() -> None:
    assert misread(lambda said: meaning(said, legal("cross")).move, {"D4": CELLS}) == {}


def test_an_act_in_plain_words() -> None:
    def read(said: str) -> tuple[Act, str]:
        meant = meaning(said, legal("cross"))
        return meant.act, meant.move

    assert misread(read, {(act, ""): text for act, text in ACTS.items()}) == {}


def test_a_wish_in_plain_words() -> None:
    assert misread(wished, WISHED) == {}


def test_what_a_question_is_about() -> None:
    assert misread(topic, TOPICS) == {}


def test_who_wants_a_game_at_once() -> None:
    assert misread(starts, {True: WANTS_A_GAME, False: WANTS_NONE}) == {}


def test_who_does_not_know_what_to_do() -> None:
    assert misread(lost, {True: LOST, False: NOT_LOST}) == {}


def test_there_are_three_hundred_wordings() -> None:
    tables = (*INVITATIONS.values(), *PLAYED.values(), *ACTS.values())
    assert sum(map(len, map(rows, tables))) + len(NAMED) + len(FIRST_MAILS) > 300


@pytest.mark.parametrize(
    ("said", "comment"),
    [
        ("Hi Bert,\n\nI'll take the center.\n\nD4", "Hi Bert,\n\nI'll take the center."),
        ("D4, how are you?", "how are you?"),
        ("D4\n\nThanks for the game!\n> old", "Thanks for the game!"),
        ("D4. Good luck!", "Good luck!"),
        ("D4", ""),
        ("I'll play D4 to stop you", "I'll play D4 to stop you"),
        ("I resign, thanks for the game", "thanks for the game"),
        ("thanks!", "thanks!"),
        ("Hi\n\nswap please\n\nBob", "Hi\n\n\nBob"),
    ],
)
def test_what_is_no_move_is_for_the_opponent(said: str, comment: str) -> None:
    assert meaning(said, legal("cross")).comment.replace("\n\n\n", "\n\n") == comment.replace("\n\n\n", "\n\n")


GREETINGS = ("", "Hi Bert,\n\n", "Hello!\n", "Dear Bert, ", "Good morning Bert,\n\nthanks for your move. ", "Hey, ")
CLAIMS = (
    "MOVE",
    "I'll play MOVE.",
    "MOVE, how are you?",
    "My move: MOVE",
    "I think I'll take MOVE",
    "Let me try MOVE!",
)
ASIDES = (
    "Nice weather today.", "If I had played OTHER I would have lost.", "Why did you not play OTHER?",
    "I expected OTHER.", "See you on May 5 at 10:30!", "> OTHER", "You should have played OTHER", "I am 42.",
    "Don't you dare!",
)  # fmt: skip
DENIALS = ("I thought about OTHER, but no.", "I considered OTHER but it is worse.")
DOUBTS = (
    "No wait, OTHER.",
    "Sorry, I meant OTHER",
    "Or rather OTHER!",
    "or maybe OTHER",
    "Maybe OTHER.",
    "My move: OTHER",
    "Ah, let me sleep on it.",
    "Ach nein, doch nicht.",
    "Please don't play that yet.",
)
CLOSINGS = ("", "\n\nCheers, Ann", "\n\nThanks for the game!\nAnn", "\nGood luck and have fun :-)")


@pytest.mark.parametrize("game", GAMES)
def test_hundreds_of_composed_mails_of_each_game_hold_no_wrong_move(game: str) -> None:
    """Each game has a quarter of them, so every mail is read in several games."""
    rules, (move, other), closings = legal(game), offered(game), itertools.cycle(CLOSINGS)
    claims = [claim for claim in CLAIMS if len(move) > 1 or not claim.startswith("MOVE")]
    composed = itertools.product(GREETINGS, claims, ("", *ASIDES, *DENIALS, *DOUBTS))
    for greeting, claim, aside in itertools.islice(composed, list(GAMES).index(game) % 4, None, 4):
        said = f"{greeting}{claim}\n{aside}{next(closings)}".replace("MOVE", move).replace("OTHER", other)
        meant = meaning(said, rules)
        assert (meant.act, meant.move) == ((UNSURE, "") if aside in DOUBTS else (MOVE, move)), said


@pytest.mark.parametrize("game", GAMES)
def test_what_is_only_spoken_of_is_never_played(game: str) -> None:
    rules, (_, other) = legal(game), offered(game)
    for greeting, aside, closing in itertools.product(GREETINGS, ASIDES, CLOSINGS):
        said = f"{greeting.rstrip(' ')}\n{aside}{closing}".replace("OTHER", other)
        assert meaning(said, rules).act is SAY, said


@pytest.mark.parametrize("game", GAMES)
def test_neither_an_initial_nor_a_face_of_letters_and_digits_is_a_move(game: str) -> None:
    signed = "|".join(rf"Nice move!\n\nThanks, {letter}|Nice move!\n\nCheers\n{letter}." for letter in "ABCDEFG")
    faces = r"Nice one! :3|Good luck! 8)|<3|Thanks! :D|xD|Good move!\n:3|D4？"
    assert misread(lambda said: meaning(said, legal(game)).act, {SAY: f"{signed}|{faces}"}) == {}


@pytest.mark.parametrize(
    "said", ["D4 E5, your turn!", "D4; E5 - good luck", "Sorry for the delay. D4 E5, bye", "D4, E5!"]
)
def test_a_turn_of_two_moves_may_begin_a_sentence(said: str) -> None:
    assert meaning(said, legal("luddit")).move == "D4; E5"
    assert meaning(said, legal("cross")).move == ""


@pytest.mark.parametrize("said", ["xC3; E5 (I hope)", "xC3, E5 (I hope)", "D4; xC3 (I hope)"])
def test_half_of_a_turn_is_no_turn(said: str) -> None:
    """Its second half is only legal after the first."""
    rules = {"xc3": "xC3", "d4": "D4", "d4; xc3": "D4; xC3", "xc3; e5": "xC3; E5"}
    assert meaning(said, lambda words: rules.get(words.casefold())).act is SAY


def test_an_unlawful_move_is_none_and_the_words_go_on() -> None:
    meant = meaning("I'll play D4", legal("cross", ["D4"]))
    assert (meant.act, meant.comment) == (SAY, "I'll play D4")


@pytest.mark.parametrize("game", GAMES)
def test_cells_that_are_written_together_are_never_chosen_between(game: str) -> None:
    for said in rows(r"D4,E5|D4;E5;D4|D4,E5; D4,E5|D4,E5;\nD4,E5;|D4,D99|D4,E5, please|Q9Q\n\nD4"):
        assert meaning(said, legal(game)).act in (SAY, UNSURE), said


AROUND_A_MOVE = {*re.findall(r"[^\W\d_]{2,}", moves.ALONE.pattern)}


def test_a_sentence_that_repeats_a_word_is_read_to_its_end() -> None:
    """A pattern that tries all ways to share out these words would never end."""
    for word in {"lg", "love from", "me", "the", "dann ich spiele", "picture"} | AROUND_A_MOVE:
        said = f"{' '.join([word] * 400)[: meanings.MAX_LENGTH - 1]}~"
        assert (meaning(said, legal("cross")).act, wished(said), question(said, "ann")) == (SAY, None, ""), word


def test_what_is_spoken_of_is_told() -> None:
    assert meaning("D4 or E5?", legal("cross")).between == ("D4", "E5")
    assert meaning("I play D4. No wait, E5.", legal("cross")).between == ("D4", "E5")
