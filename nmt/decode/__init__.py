"""From a trained model to text: search over any decoder, and the translator around it."""

from nmt.decode.translator import Translation, Translator

__all__ = ["Translation", "Translator"]
