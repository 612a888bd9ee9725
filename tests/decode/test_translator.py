"""Lines in, lines out: one for one, in order, whatever the neighbours and the batch."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import SAMPLE

from nmt.decode.options import SearchOptions
from nmt.decode.translator import Translator
from nmt.errors import CheckpointError, ConfigError, DataError


@pytest.fixture(scope="module")
def translator(model_folder: Path) -> Translator:
    return Translator.load(model_folder, device="cpu")


@pytest.fixture(scope="module")
def lines() -> list[str]:
    return [line.split("\t")[0] for line in SAMPLE.read_text(encoding="utf-8").split("\n")[:60]]


def texts(translator: Translator, lines: list[str], **options: int) -> list[str]:
    return [translation.text for translation in translator.translate(lines, **options)]


def test_batch_size_and_order_do_not_matter(translator: Translator, lines: list[str]) -> None:
    expected = [texts(translator, [line])[0] for line in lines]
    assert len(set(expected)) > 5  # it says different things
    for batch_tokens in (1, 300, 100_000):
        assert texts(translator, lines, batch_tokens=batch_tokens) == expected
    assert texts(translator, lines[::-1]) == expected[::-1]


def test_blank_and_symbol_lines_never_reach_the_model(translator: Translator) -> None:
    found = translator.translate(["", "   ", "-", "***", "\u3000", "Hello.", ""])
    assert [t.text for t in found[:5]] == ["", "", "-", "***", ""]
    assert found[5].text
    assert found[5].score < 0.0
    assert found[6].text == ""


def test_a_line_that_never_reaches_the_model_is_still_one_clean_line(translator: Translator) -> None:
    assert texts(translator, ["*\u2028*", "-\r-", "\x85", "\ud800", "?\ud800\n!"]) == ["* *", "- -", "", "", "? !"]


def test_nothing_in_nothing_out(translator: Translator) -> None:
    assert translator.translate([]) == []


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(st.text(st.characters(), max_size=20), max_size=6))
def test_one_line_out_for_any_line_in(translator: Translator, lines: list[str]) -> None:
    found = texts(translator, lines, beam=1)
    assert len(found) == len(lines)
    assert not any(len(text.splitlines()) > 1 for text in found)
    assert all(text.encode().decode() == text for text in found)  # no half of a surrogate pair


def test_progress_adds_up(translator: Translator) -> None:
    done: list[int] = []
    translator.translate(["One.", "", "Two.", "-", "Three."], progress=done.append)
    assert sum(done) == 5


def test_alignments_cover_every_target_word(translator: Translator) -> None:
    alignment = translator.align([("How are you today?", "你今天好吗？")])[0]
    assert alignment.source_units == ["How", "are", "you", "today", "?"]
    assert alignment.target_units == list("你今天好吗？")
    assert [target for _, target in alignment.links] == list(range(6))
    assert all(0 <= source < 5 for source, _ in alignment.links)
    assert [sum(row) for row in alignment.weights] == pytest.approx([1.0] * 6)


def test_a_blank_side_has_no_links(translator: Translator) -> None:
    found = translator.align([("Hi.", "嗨。"), ("Hi.", " "), ("\u200b", "嗨。"), ("Hi.", "嗨。")])
    assert found[1].links == found[2].links == []
    assert found[3] == found[0]
    assert len(found[0].links) == 2


@pytest.fixture
def converting(translator: Translator) -> Translator:
    """The same model, as if it had been trained on text in one script."""
    config = dataclasses.replace(translator.trained.config, script="convert")
    return Translator(dataclasses.replace(translator.trained, config=config))


def test_a_missing_opencc_is_told_once(
    converting: Translator, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("nmt.decode.translator.opencc_available", lambda: False)
    converting.translate(["English needs no conversion."], beam=1)
    assert caplog.messages == []
    assert converting.align([("A tree.", "一棵樹。")] * 2)[0].target_units == list("一棵樹。")
    assert len(caplog.messages) == 1
    assert "pip install 'nmt[opencc]'" in caplog.messages[0]
    assert "\n" not in caplog.messages[0]


def test_traditional_script_is_converted_when_the_text_was(converting: Translator) -> None:
    pytest.importorskip("opencc", reason="OpenCC is not installed")
    assert converting.align([("A tree.", "一棵\ud800樹。")])[0].target_units == list("一棵树。")


@pytest.mark.parametrize(
    ("script", "chinese", "expected"), [("drop", "hans", "树"), ("drop", "hant", "樹"), ("keep", "hans", "樹")]
)
def test_chinese_comes_in_the_script_of_the_model_unless_both_were_kept(
    translator: Translator, script: str, chinese: str, expected: str
) -> None:
    pytest.importorskip("opencc", reason="OpenCC is not installed")
    config = dataclasses.replace(translator.trained.config, script=script, chinese=chinese)
    other = Translator(dataclasses.replace(translator.trained, config=config))
    assert other.align([("A tree.", "樹。")])[0].target_units == [expected, "。"]


def test_damaged_folders(model_folder: Path, tmp_path: Path) -> None:
    import shutil

    with pytest.raises(CheckpointError, match="does not exist: give a folder"):
        Translator.load(tmp_path / "none")
    for name, message in {
        "model.safetensors": "is damaged and can not be read",
        "source.spm": "is not a complete model folder: .*source.spm is not a SentencePiece model",
        "config.yaml": "is not a complete model folder: .*config.yaml",
    }.items():
        folder = tmp_path / name
        shutil.copytree(model_folder, folder)
        (folder / name).write_bytes(b"garbage")
        if name != "config.yaml":  # which is read first
            with pytest.raises(CheckpointError, match=f"is damaged: {name} has 7 bytes instead of"):
                Translator.load(folder)
        (folder / "manifest.json").unlink()  # as a folder of an older version, or put together by hand
        with pytest.raises(CheckpointError, match=message):
            Translator.load(folder)
    with pytest.raises(ConfigError, match="must be auto, cpu, cuda or cuda:N"):
        Translator.load(model_folder, device="gpu")


def test_the_score_of_a_translation_is_that_of_forcing_it(translator: Translator, lines: list[str]) -> None:
    from nmt.decode.engine import forced, hypotheses

    rows = translator.trained.source_tokenizer.encode([translator._clean(line, "en") for line in lines[:12]])
    for options in (
        SearchOptions(nbest=3, length_penalty_kind="gnmt", max_extra=5, max_ratio=1.0),
        SearchOptions(sample=True, nbest=3, max_extra=5, max_ratio=1.0),
    ):
        found = hypotheses(translator.trained.model, rows, options=options, device=translator.device)
        for row, best in zip(rows, found, strict=True):
            assert len(best) == 3
            expected = forced(translator.trained.model, [row] * 3, [one.ids for one in best], translator.device)
            assert [one.log_probability for one in best] == pytest.approx(expected, abs=1e-3)
            divisors = [options.ranking.divisor(len(one.ids) + 1) for one in best]
            assert [one.score for one in best] == pytest.approx(
                [value / divisor for value, divisor in zip(expected, divisors, strict=True)], abs=1e-3
            )


def test_given_translations_are_scored_one_for_one(translator: Translator) -> None:
    pairs = [("How are you?", "你好吗？"), ("", "你"), ("Hi.", "嗨。"), ("Hi.", " ")]
    found = translator.score(pairs)
    assert found[1] is found[3] is None
    for batch_tokens in (1, 100):
        assert [one and one.log_probability for one in translator.score(pairs, batch_tokens=batch_tokens)] == [
            one and pytest.approx(one.log_probability, abs=1e-4) for one in found
        ]
    assert found[0].score == pytest.approx(found[0].log_probability / found[0].pieces)


def test_a_translation_begins_as_it_is_told(translator: Translator) -> None:
    found = translator.translate(["How are you?", "Hello.", "Hi."], prefixes=["我们", "", "你"])
    assert found[0].text.startswith("我们")
    assert found[2].text.startswith("你")
    assert found[1].text == texts(translator, ["Hello."])[0]
    with pytest.raises(DataError, match="there are 2 lines but 1 prefixes"):
        translator.translate(["a", "b"], prefixes=["c"])


def test_coverage_is_watched(translator: Translator, lines: list[str]) -> None:
    free = SearchOptions(beam=4, nbest=4, max_extra=5, max_ratio=1.0)
    found = translator.translate(lines[:9], options=dataclasses.replace(free, coverage_penalty=0.5))
    assert all(
        one.score < one.log_probability / 40 for translation in found for one in translation.candidates
    )  # what is taken away is not nothing
    assert [t.text for t in found] == [
        translator.translate([line], options=dataclasses.replace(free, coverage_penalty=0.5))[0].text
        for line in lines[:9]
    ]


def test_links_are_places_of_characters(translator: Translator) -> None:
    clean, links = translator.links("How  are you?", "你好吗？")
    assert clean == "How are you?"
    assert [target for _, _, *target in links] == [[0, 1], [1, 2], [2, 3], [3, 4]]
    assert {clean[start:end] for start, end, _, _ in links} <= {"How", "are", "you", "?"}
