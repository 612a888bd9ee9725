"""Text in, text out: normalise, encode, search, decode, restore; and the attention that was paid on the way.

    translator = Translator.load("runs/demo/best")
    translator.translate(["How are you?"])[0].text

Lines are translated in batches of similar length, and come back in their own order, one for one. A line's translation
depends on that line alone.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import torch
from torch import Tensor

from nmt.align.links import Alignment, extract
from nmt.checkpoint import TrainedModel, load_model
from nmt.data.batch import Batch, collate, source_batch
from nmt.decode.entropy import AttentionEntropy, row_entropies
from nmt.decode.search import Hypothesis, Marks, beam_search
from nmt.device import choose_device
from nmt.model.seq2seq import DecoderState
from nmt.text.normalise import normalise, restore, tidy
from nmt.text.script import SCRIPTS, opencc_available, telling, to_script
from nmt.text.tokenizer import BOS, EOS, PAD, UNK

MARKS = Marks(begin=BOS, end=EOS, forbidden=(PAD, UNK, BOS))


@dataclass(frozen=True, slots=True)
class Translation:
    """A line's translation."""

    text: str
    score: float  # log probability over length ** penalty; 0.0 for lines that never reached the model


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
    ) -> list[Translation]:
        """Translate lines of text.

        Args:
            lines: one sentence each. A blank line gives a blank line; one without letter or digit is copied.
            beam: hypotheses kept while searching; the model's own setting unless given.
            batch_tokens: source pieces translated at once, padding and hypotheses counted.
            progress: called with the number of lines done since the last call.

        Returns:
            Exactly one translation for each line, in order.
        """
        beam = beam or self.trained.config.decode.beam
        results = [Translation(tidy(line), 0.0) for line in lines]
        wanted = [index for index, line in enumerate(lines) if any(char.isalnum() for char in line)]
        ids = self.trained.source_tokenizer.encode(
            [self._clean(lines[index], self.source_language) for index in wanted]
        )
        wanted_ids = {index: row for index, row in zip(wanted, ids, strict=True) if row}
        if progress:
            progress(len(lines) - len(wanted_ids))
        for batch in _by_length(wanted_ids, batch_tokens // beam):
            for index, best in zip(batch, self._search([wanted_ids[i] for i in batch], beam), strict=True):
                text = self.trained.target_tokenizer.decode(best.ids)
                results[index] = Translation(restore(text, self.target_language), best.score)
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

    @torch.inference_mode()
    def _search(self, rows: Sequence[Sequence[int]], beam: int) -> list[Hypothesis]:
        model, decode = self.trained.model, self.trained.config.decode
        source_ids, lengths = source_batch(rows)

        def step(last: Tensor, state: DecoderState) -> tuple[Tensor, DecoderState]:
            decoded = model.decode(last.unsqueeze(1), state)
            return torch.log_softmax(model.logits(decoded.features[:, -1]).float(), dim=-1), decoded.state

        hypotheses = beam_search(
            model.start(model.encode(source_ids.to(self.device), lengths.to(self.device))),
            step,
            marks=MARKS,
            limits=[int(decode.max_ratio * length) + decode.max_extra for length in lengths.tolist()],
            beam=beam,
            length_penalty=decode.length_penalty,
            device=self.device,
        )
        return [found[0] for found in hypotheses]

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
