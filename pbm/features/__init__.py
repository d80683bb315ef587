"""The wishes of players, one file each. Importing this package registers every file in it; none is listed."""

from importlib import import_module
from pkgutil import iter_modules

for feature in iter_modules(__path__):
    import_module(f"{__name__}.{feature.name}")
