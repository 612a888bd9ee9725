"""A translation as a line of JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nmt.decode.translator import Translation, Translator


def record(translator: Translator, source: str, translation: Translation) -> str:
    """One line: the text with its score, the n-best, and which characters come from which.

    `alignment` is a list of `[source start, source end, target start, target end]`, offsets of characters in `source`
    and `text`, one for each word (Chinese: character) of the text.
    """
    clean, spans = translator.links(source, translation.text) if translation.candidates else (source, [])
    return json.dumps(
        {
            "source": clean,
            "text": translation.text,
            "score": translation.score,
            "candidates": [
                {"text": one.text, "score": one.score, "log_probability": one.log_probability}
                for one in translation.candidates
            ],
            "alignment": [list(link) for link in spans],
            "warnings": warnings(translation),
        },
        ensure_ascii=False,
    )


def warnings(translation: Translation) -> list[str]:
    """What a reader of the translation should know."""
    if translation.candidates:
        return [] if translation.text else ["the model wrote nothing"]
    return ["no letter or digit: copied"] if translation.text else []
