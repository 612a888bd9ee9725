"""Text in, text out: normalise, encode, search, decode, restore; and the attention that was paid on the way.

    translator = Translator.load("runs/demo/best")
    translator.translate(["How are you?"])[0].text

Lines are translated in batches of similar length, and come back in their own order, one for one. A line's translation
depends on that line alone.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import torch
from torch import Tensor

from nmt.align.links import Alignment, extract
from nmt.align.units import words
from nmt.checkpoint import TrainedModel, load_model
from nmt.data.batch import Batch, collate
from nmt.decode.engine import forced, hypotheses
from nmt.decode.entropy import AttentionEntropy, row_entropies
from nmt.decode.options import SearchOptions
from nmt.device import choose_device
from nmt.errors import DataError
from nmt.text.normalise import normalise, restore, tidy
from nmt.text.script import SCRIPTS, opencc_available, telling, to_script


@dataclass(frozen=True, slots=True)
class Candidate:
    """One of several translations of a line."""

    text: str
    score: float  # what it is ranked by, see `nmt.decode.ranking`
    log_probability: float


@dataclass(frozen=True, slots=True)
class Translation:
    """A line's translation."""

    text: str
    score: float  # that of the best candidate; 0.0 for lines that never reached the model
    candidates: tuple[Candidate, ...] = ()  # the best one first; none for lines that never reached the model


@dataclass(frozen=True, slots=True)
class Scored:
    """How likely the model finds a given translation."""

    score: float  # log probability over the length penalty
    log_probability: float  # natural logarithm, summed over the pieces and the end mark
    pieces: int  # the end mark counted


class Translator:
    """A trained model, ready to translate and to align."""

    def __init__(self, trained: TrainedModel, device: torch.device | None = None) -> None:
        self.trained = trained
        self.device = device or torch.device("cpu")
        self.direction = trained.config.direction
        self.source_language = trained.source_language
        self.target_language = trained.target_language
        self._warned = False

    @classmethod
    def load(cls, folder: Path | str, device: str = "auto") -> Translator:
        """Read a model folder.

        Raises:
            CheckpointError: it is missing or damaged.
            ConfigError: there is no such device.
        """
        chosen = choose_device(device)
        return cls(load_model(folder, chosen), chosen)

    def translate(
        self,
        lines: Sequence[str],
        *,
        beam: int | None = None,
        batch_tokens: int = 4096,
        progress: Callable[[int], object] | None = None,
        options: SearchOptions | None = None,
        prefixes: Sequence[str] | None = None,
    ) -> list[Translation]:
        """Translate lines of text.

        Args:
            lines: one sentence each. A blank line gives a blank line; one without letter or digit is copied.
            beam: hypotheses kept while searching; the model's own setting unless given.
            batch_tokens: source pieces translated at once, padding and hypotheses counted.
            progress: called with the number of lines done since the last call.
            options: how to search; the model's own settings unless given. `beam` wins over it.
            prefixes: text that the translation of each line begins with; "" where it is free.

        Returns:
            Exactly one translation for each line, in order.
        """
        options = options or SearchOptions.of(self.trained.config.decode)
        options = replace(options, beam=beam) if beam else options
        results = [Translation(tidy(line), 0.0) for line in lines]
        wanted = [index for index, line in enumerate(lines) if any(char.isalnum() for char in line)]
        ids = self.trained.source_tokenizer.encode(
            [self._clean(lines[index], self.source_language) for index in wanted]
        )
        wanted_ids = {index: row for index, row in zip(wanted, ids, strict=True) if row}
        if progress:
            progress(len(lines) - len(wanted_ids))
        starts = self._prefixes(prefixes, len(lines))
        for batch in _by_length(wanted_ids, batch_tokens // options.width):
            found = hypotheses(
                self.trained.model,
                [wanted_ids[index] for index in batch],
                options=options,
                device=self.device,
                prefixes=[starts[index] for index in batch] if starts else None,
            )
            for index, best in zip(batch, found, strict=True):
                candidates = tuple(
                    Candidate(self._text(hypothesis.ids), hypothesis.score, hypothesis.log_probability)
                    for hypothesis in best
                )
                results[index] = Translation(candidates[0].text, candidates[0].score, candidates)
            if progress:
                progress(len(batch))
        return results

    def align(self, pairs: Sequence[tuple[str, str]], *, unit: str = "word") -> list[Alignment]:
        """Word alignments of sentences with given translations, read off the source-target attention.

        The target is forced on the decoder; row t of the weights belongs to the piece that is predicted at t.

        Args:
            pairs: (source, target) lines.
            unit: `word` (English words, Chinese characters) or `piece`.

        Returns:
            One alignment for each pair; where a side is blank it has no units and no links.
        """
        return [self._align(source, target, unit=unit) for source, target in pairs]

    def links(self, source: str, target: str) -> tuple[str, list[tuple[int, int, int, int]]]:
        """Which characters of a translation come from which of its source.

        Returns:
            The clean form of the source, and (source start, source end, target start, target end) for each word of the
            target: offsets in the clean source and in the clean target, which what this model writes already is.
        """
        clean, target = self._clean(source, self.source_language), self._clean(target, self.target_language)
        alignment = self._align(clean, target, unit="word")
        if not alignment.links:
            return clean, []
        sources, targets = words(clean, self.source_language), words(target, self.target_language)
        return clean, [(*sources[from_], *targets[to]) for from_, to in alignment.links]

    @torch.inference_mode()
    def attention_entropy(
        self, pairs: Sequence[tuple[str, str]], *, batch_tokens: int = 4096
    ) -> AttentionEntropy | None:
        """How sharply the model looks at the source while it is made to write the targets, see `nmt.decode.entropy`.

        Args:
            pairs: (source, target) lines; pairs with a blank side do not count.
            batch_tokens: target pieces read at once, padding counted.

        Returns:
            `None` if no pair has text on both sides.
        """
        sources = self.trained.source_tokenizer.encode([self._clean(pair[0], self.source_language) for pair in pairs])
        targets = self.trained.target_tokenizer.encode([self._clean(pair[1], self.target_language) for pair in pairs])
        rows = {index: target for index, target in enumerate(targets) if target and sources[index]}
        total, pieces = 0.0, 0
        for chosen in _by_length(rows, batch_tokens):
            batch = collate([sources[index] for index in chosen], [rows[index] for index in chosen]).to(self.device)
            entropies = row_entropies(self._forced_weights(batch), batch.target_lengths)
            total, pieces = total + float(entropies.sum()), pieces + len(entropies)
        return AttentionEntropy(total / pieces, pieces) if pieces else None

    def score(
        self,
        pairs: Sequence[tuple[str, str]],
        *,
        batch_tokens: int = 4096,
        options: SearchOptions | None = None,
    ) -> list[Scored | None]:
        """How likely the model finds given translations: the target is forced on the decoder.

        Args:
            pairs: (source, target) lines.
            batch_tokens: pieces read at once, padding counted.
            options: their length penalty is used; the model's own unless given.

        Returns:
            One result for each pair; `None` where a side is blank.
        """
        ranking = (options or SearchOptions.of(self.trained.config.decode)).ranking
        sources = self.trained.source_tokenizer.encode([self._clean(pair[0], self.source_language) for pair in pairs])
        targets = self.trained.target_tokenizer.encode([self._clean(pair[1], self.target_language) for pair in pairs])
        longer = {
            index: max(source, target, key=len)
            for index, (source, target) in enumerate(zip(sources, targets, strict=True))
            if source and target
        }
        results: list[Scored | None] = [None] * len(pairs)
        for batch in _by_length(longer, batch_tokens):
            found = forced(
                self.trained.model,
                [sources[index] for index in batch],
                [targets[index] for index in batch],
                self.device,
            )
            for index, log_probability in zip(batch, found, strict=True):
                pieces = len(targets[index]) + 1
                results[index] = Scored(log_probability / ranking.divisor(pieces), log_probability, pieces)
        return results

    def _prefixes(self, prefixes: Sequence[str] | None, lines: int) -> list[list[int]] | None:
        if prefixes is None:
            return None
        if len(prefixes) != lines:
            raise DataError(f"there are {lines} lines but {len(prefixes)} prefixes: give one for each line")
        return self.trained.target_tokenizer.encode([self._clean(prefix, self.target_language) for prefix in prefixes])

    def _text(self, ids: Sequence[int]) -> str:
        return restore(self.trained.target_tokenizer.decode(ids), self.target_language)

    @torch.inference_mode()
    def _align(self, source: str, target: str, *, unit: str) -> Alignment:
        source, target = self._clean(source, self.source_language), self._clean(target, self.target_language)
        if not source or not target:
            return Alignment([], [], [], [])
        source_ids = self.trained.source_tokenizer.encode([source])
        target_ids = self.trained.target_tokenizer.encode([target])
        batch = collate(source_ids, target_ids).to(self.device)
        return extract(
            self._forced_weights(batch)[0].float().cpu().tolist(),
            source_pieces=self.trained.source_tokenizer.pieces(source_ids[0]),
            target_pieces=self.trained.target_tokenizer.pieces(target_ids[0]),
            source_text=source,
            target_text=target,
            source_language=self.source_language,
            target_language=self.target_language,
            unit=unit,
        )

    def _forced_weights(self, batch: Batch) -> Tensor:
        """(B, T, S) source-target weights while the targets of `batch` are forced on the decoder."""
        model = self.trained.model
        state = model.start(model.encode(batch.source_ids, batch.source_lengths)).with_weights()
        weights = model.decode(batch.target_in, state).weights
        assert weights is not None  # they were asked for
        return weights

    def _clean(self, line: str, language: str) -> str:
        if language == "zh" and self.trained.config.script != "keep":
            line = self._in_script(tidy(line))
        return normalise(line, language)

    def _in_script(self, line: str) -> str:
        """Chinese text in the one script that the model knows; says so, once, if it is not and can not be."""
        script = self.trained.config.chinese
        if self._can_convert:
            return to_script(line, script)
        hans, hant = telling(line)
        if not self._warned and (hant if script == "hans" else hans):
            self._warned = True
            logging.getLogger(__name__).warning(
                f"this model knows {SCRIPTS[script]} script only, and text in the other script is not converted "
                "because OpenCC is not installed. Install it with: pip install 'nmt[opencc]'"
            )
        return line

    @cached_property
    def _can_convert(self) -> bool:
        return opencc_available()


def _by_length(rows: dict[int, list[int]], tokens: int) -> Iterator[list[int]]:
    """Line numbers in batches of similar length, the longest first: whatever does not fit fails at once."""
    batch: list[int] = []
    longest = 0
    for index in sorted(rows, key=lambda index: (-len(rows[index]), index)):
        longest = longest or len(rows[index]) + 1
        if batch and longest * (len(batch) + 1) > tokens:
            yield batch
            batch, longest = [], len(rows[index]) + 1
        batch.append(index)
    if batch:
        yield batch
