"""Events and answers made into finished mails."""

from pbm.compose.composer import Answer, Composer, Notice, Outcome, Reader

__all__ = ["Answer", "Composer", "Notice", "Outcome", "Reader"]
