"""Events, as players call them: how they are made, joined and held, and what is told of them.

An event is held by the agenda alone (`deeds`): it has one item there, whose time is the next at which something must
happen by itself. Whatever may let it happen sooner, such as the end of a board, moves the item to the present.
"""
