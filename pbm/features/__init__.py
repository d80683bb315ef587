"""What players can do, one file for each feature. Importing this package imports, and so registers, all of them."""

from importlib import import_module
from pkgutil import walk_packages

for feature in walk_packages(__path__, f"{__name__}."):
    import_module(feature.name)
