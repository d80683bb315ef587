"""The wishes of players, one file each. Importing this package registers every file in it; none is listed."""

from importlib import import_module
from pkgutil import walk_packages

for feature in walk_packages(__path__, f"{__name__}."):
    import_module(feature.name)
