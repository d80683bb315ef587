"""Events and answers made into finished mails."""

from pbm.compose.composer import Answer, Composer, Notice, Outcome, Reader
from pbm.compose.forms import Figure

__all__ = ["Answer", "Composer", "Figure", "Notice", "Outcome", "Reader"]
