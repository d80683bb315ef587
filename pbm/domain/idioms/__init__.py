"""How people say what they want in plain words, as data: answers to invitations, and what is to be done on a board.

All patterns meet text as `sentences.plain` makes it. Words that may be repeated are atomic, (?>...): where one of them
can be read in two ways, a pattern that tries both doubles its time with each repetition.
"""
