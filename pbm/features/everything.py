"""Importing this module imports, and so registers, all features. An act of the operator needs only some of them."""

from importlib import import_module
from pkgutil import walk_packages

import pbm.features

for feature in walk_packages(pbm.features.__path__, f"{pbm.features.__name__}."):
    import_module(feature.name)
