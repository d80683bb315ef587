"""Packages whose names are imported when first used, so that who needs one of them does not wait for the others."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module


def lazily(package: str, **modules: str) -> Callable[[str], object]:
    """The `__getattr__` of a package (PEP 562). modules: the names that each of its modules gives it, in one text."""
    homes = {name: module for module, names in modules.items() for name in names.split()}

    def found(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package} has no attribute {name}")
        return getattr(import_module(f"{package}.{homes[name]}"), name)

    return found
