"""SentencePiece (Kudo & Richardson 2018, https://aclanthology.org/D18-2012): clean lines to piece ids and back.

A piece is a frequent string of characters. The `unigram` algorithm (Kudo 2018, https://aclanthology.org/P18-1007)
chooses pieces that make the corpus likely; `bpe` (Sennrich et al. 2016, https://aclanthology.org/P16-1162) merges
frequent neighbours. Three choices matter here:

- SentencePiece's own normaliser is off (`identity`), for it would turn Chinese punctuation into ASCII:
  `nmt.text.normalise` has done the work, and encoding followed by decoding gives back every normalised line;
- a character without a piece is spelt in its UTF-8 bytes (`byte_fallback`), so there is no unknown text;
- the four ids below are controls. No text encodes to them: `</s>` in a sentence is four ordinary characters.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from nmt.errors import ConfigError, DataError

PAD, UNK, BOS, EOS = 0, 1, 2, 3
CONTROLS = 4

_SPACE = "\u2581"  # how SentencePiece writes a space
_TRAINING_THREADS = 2  # fixed, because sums over threads decide the last digits of a piece's score
_LONGEST_LINE = 1_000_000  # bytes; SentencePiece leaves out lines of more than 4192 unless told otherwise


class Tokenizer:
    """A learned vocabulary of pieces for one language or both. Pickles; two with equal bytes are equal."""

    def __init__(self, model: bytes) -> None:
        from sentencepiece import SentencePieceProcessor

        self._model = model
        self._processor: Any = SentencePieceProcessor(model_proto=model)

    @classmethod
    def from_bytes(cls, model: bytes) -> Tokenizer:
        """From what `to_bytes` returned."""
        try:
            return cls(model)
        except RuntimeError:
            raise DataError("These bytes are not a SentencePiece model") from None

    @classmethod
    def load(cls, path: str | Path) -> Tokenizer:
        """From a file that holds the bytes of a SentencePiece model.

        Raises:
            DataError: There is no such file, or it is something else.
        """
        try:
            return cls(Path(path).read_bytes())
        except OSError as error:
            raise DataError(f"Can not read the SentencePiece model {path}: {error.strerror}") from None
        except RuntimeError:
            raise DataError(f"{path} is not a SentencePiece model") from None

    def to_bytes(self) -> bytes:
        """The SentencePiece model, as its own tools read it from a file."""
        return self._model

    def __len__(self) -> int:
        return int(self._processor.get_piece_size())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tokenizer) and self._model == other._model

    def __hash__(self) -> int:
        return hash(self._model)

    def __reduce__(self) -> tuple[Callable[[bytes], Tokenizer], tuple[bytes]]:
        return Tokenizer.from_bytes, (self._model,)

    def encode(self, lines: Sequence[str]) -> list[list[int]]:
        """Ids of the pieces of each line, without `BOS` and `EOS`.

        Args:
            lines: Normalised lines.

        Returns:
            One list of ids for each line, empty for an empty line.
        """
        ids: list[list[int]] = self._processor.encode(list(lines), out_type=int, num_threads=1)
        return ids

    def decode(self, ids: Sequence[int]) -> str:
        """The text of a sequence of ids; control ids stand for no text."""
        text: str = self._processor.decode([int(index) for index in ids if index >= CONTROLS])
        # A space spelt in bytes comes back as SentencePiece's mark, which no normalised line contains.
        return text.replace(_SPACE, " ")

    def pieces(self, ids: Sequence[int]) -> list[str]:
        """The piece of each id as it stands in the vocabulary: `▁` is a space, `<0xE4>` a byte."""
        return [str(self._processor.id_to_piece(int(index))) for index in ids]

    def is_byte(self, index: int) -> bool:
        """Whether an id spells one byte of a character that has no piece."""
        return bool(self._processor.is_byte(int(index)))

    def has_piece(self, char: str) -> bool:
        """Whether a character has a piece of its own; another one is spelt in bytes."""
        return int(self._processor.piece_to_id(char.replace(" ", _SPACE))) != UNK


def learn(
    lines: Iterable[str], *, language: str, vocab_size: int, coverage: float, algorithm: str, seed: int
) -> Tokenizer:
    """Learn a vocabulary; the same lines and settings give the same bytes.

    Args:
        lines: Normalised lines of the training part, and of no other.
        language: `en`, `zh` or `joint` (lines of both); words begin with a space in English only, so the lines of a
            Chinese vocabulary alone are not read as if they did.
        vocab_size: Most pieces; a small corpus gives fewer.
        coverage: Share of the characters of the corpus that get a piece of their own.
        algorithm: `unigram` or `bpe`.
        seed: Of the sample that is drawn from a corpus of more than two million lines.

    Returns:
        The tokenizer.

    Raises:
        DataError: There is nothing to learn from.
        ConfigError: The vocabulary can not have this size.
    """
    import sentencepiece

    lines = [line for line in lines if line]
    if not lines:
        which = "" if language == "joint" else f"{language} "
        raise DataError(f"There is no {which}text to learn a vocabulary from: no training pair is left")
    sentencepiece.set_random_generator_seed(seed)
    model = io.BytesIO()
    try:
        sentencepiece.SentencePieceTrainer.train(  # type: ignore[attr-defined, unused-ignore]
            sentence_iterator=iter(lines),
            model_writer=model,
            model_type=algorithm,
            vocab_size=vocab_size,
            hard_vocab_limit=False,
            character_coverage=coverage,
            normalization_rule_name="identity",
            remove_extra_whitespaces=False,
            add_dummy_prefix=language != "zh",
            byte_fallback=True,
            split_digits=True,
            pad_id=PAD,
            unk_id=UNK,
            bos_id=BOS,
            eos_id=EOS,
            max_sentence_length=_LONGEST_LINE,
            input_sentence_size=2_000_000,
            shuffle_input_sentence=True,
            num_threads=_TRAINING_THREADS,
            minloglevel=2,
        )
    except RuntimeError as error:
        raise ConfigError(_explain(str(error), language=language, vocab_size=vocab_size)) from None
    return Tokenizer(model.getvalue())


def _explain(message: str, *, language: str, vocab_size: int) -> str:
    name = f"text.vocab_size_{language}"
    if largest := re.search(r"value <= (\d+)", message):
        return f"{name} is {vocab_size}, but this corpus has text for at most {largest[1]} pieces"
    if needed := re.search(r"required_chars\. (\d+) vs (\d+)", message):
        return (
            f"{name} is {vocab_size}, but the characters of this corpus alone need {needed[2]} pieces: "
            f"raise it, or lower text.coverage_{'zh' if language == 'joint' else language}"
        )
    return f"SentencePiece could not learn {vocab_size} pieces for {language}: {message.strip()}"
