"""BLEU and chrF: equal to the sacrebleu command, the right tokeniser, and the three traps of its Python interface."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import sacrebleu

from nmt.errors import ConfigError, DataError
from nmt.evaluate.metrics import bleu, chrf

PUBLISHED = Path(__file__).parents[3] / "shared" / "data" / "published"
needs_published = pytest.mark.skipif(
    not PUBLISHED.is_dir(), reason=f"the published system outputs are not here ({PUBLISHED}); they are not ours to ship"
)


def published(name: str) -> list[str]:
    return (PUBLISHED / name).read_text(encoding="utf-8").removesuffix("\n").split("\n")


def command(hypotheses: Path, references: list[Path], tokenizer: str, metric: str) -> dict[str, object]:
    call = [sys.executable, "-m", "sacrebleu", *map(str, references), "-i", str(hypotheses), "-m", metric]
    call += ["-w", "6", "--tokenize", tokenizer] if metric == "bleu" else ["-w", "6"]
    return json.loads(subprocess.run(call, capture_output=True, text=True, check=True).stdout)  # type: ignore[no-any-return]


def save(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8", newline="\n")
    return path


@needs_published
@pytest.mark.parametrize(
    ("pair", "system", "language", "expected_bleu", "expected_chrf"),
    [
        ("en-zh", "google", "zh", 50.7, 44.8),
        ("en-zh", "opusmt", "zh", 32.2, 29.3),
        ("zh-en", "google", "en", 32.7, 61.6),
        ("zh-en", "nllb", "en", 24.0, 54.1),
    ],
)
def test_published_figures(pair: str, system: str, language: str, expected_bleu: float, expected_chrf: float) -> None:
    output = published(f"{pair}/flores-test.{system}.{language}")
    reference = published(f"{pair}/flores-test.{language}")
    score = bleu(output, [reference], target_language=language)
    assert round(score.value, 1) == expected_bleu
    assert score.signature.startswith(
        f"nrefs:1|case:mixed|eff:no|tok:{ {'zh': 'zh', 'en': '13a'}[language] }|smooth:exp"
    )
    assert round(chrf(output, [reference], target_language=language).value, 1) == expected_chrf


HYPOTHESES = {
    "zh": ["今天天气很好。", "他有3本书，你呢？", "我喜欢用Python写程序。", "谢谢！", "这是什么东西"],
    "en": ["The weather is fine today.", "He has 3 books, and you?", "I like Python.", "Thanks!", "What is this thing"],
}
REFERENCES = {
    "zh": [
        ["今天天气真好。", "他有三本书，你呢？", "我喜欢用Python编程。", "谢谢你！", "这是什么？"],
        ["今天的天气很好。", "他有3本书，那你呢？", "我爱用Python写程序。", "多谢！", "这东西是什么？"],
    ],
    "en": [
        [
            "It is fine today.",
            "He has three books. And you?",
            "I like to program in Python.",
            "Thanks!",
            "What is this?",
        ],
        ["The weather is good today.", "He has 3 books; you?", "I love Python.", "Thank you!", "What's this thing?"],
    ],
}


@pytest.mark.parametrize("language", ["zh", "en"])
def test_parity_with_the_command(language: str, tmp_path: Path) -> None:
    output = save(tmp_path / "output", HYPOTHESES[language])
    references = [save(tmp_path / f"reference.{n}", lines) for n, lines in enumerate(REFERENCES[language])]
    for function, metric in ((bleu, "bleu"), (chrf, "chrf")):
        ours = function(HYPOTHESES[language], REFERENCES[language], target_language=language)
        theirs = command(output, references, {"zh": "zh", "en": "13a"}[language], metric)
        assert (ours.name, round(ours.value, 6)) == (theirs["name"], theirs["score"])
        assert ours.signature == theirs["signature"]


def test_the_interval_is_the_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SACREBLEU_SEED", raising=False)
    words = [f"{letter}at" for letter in "bcdfghjklmnpqrst"]
    references = [" ".join(words[k % 7 : k % 7 + 8]) for k in range(60)]
    output = [line if k % 3 else line.replace("hat", "hut") for k, line in enumerate(references)]
    for function, metric in ((bleu, "bleu"), (chrf, "chrf")):
        call = [sys.executable, "-m", "sacrebleu", str(save(tmp_path / "r", references)), "-m", metric, "-w", "6"]
        call += ["-i", str(save(tmp_path / "h", output)), "--confidence", "--confidence-n", "200"]
        theirs = json.loads(subprocess.run(call, capture_output=True, text=True, check=True).stdout)
        ours = function(output, [references], target_language="en", bootstrap=200)
        assert ours.interval is not None
        assert ours.interval.mean == pytest.approx(theirs["confidence_mean"], abs=1e-4)
        assert ours.interval.half_width == pytest.approx(theirs["confidence_var"], abs=1e-4)
        assert (ours.interval.samples, ours.interval.seed) == (200, "12345")
        assert ours.interval.half_width > 0.5
        assert "bs:" not in ours.signature  # the score itself does not depend on the samples
        monkeypatch.setenv("SACREBLEU_SEED", "7")
        other = function(output, [references], target_language="en", bootstrap=200).interval
        assert other is not None
        assert other.half_width != ours.interval.half_width
        monkeypatch.delenv("SACREBLEU_SEED")


def test_no_interval_from_one_sentence_or_unless_asked() -> None:
    assert bleu(["a b c d"], [["a b c d"]], target_language="en", bootstrap=50).interval is None
    assert bleu(["a b c d"] * 2, [["a b c d"] * 2], target_language="en").interval is None
    # Samples that score 0: sacreBLEU's own estimate fails on them.
    assert bleu(["a b c d", "x"], [["a b c d", "y"]], target_language="en", bootstrap=50).interval is not None


@pytest.mark.parametrize("language", ["zh", "en"])
def test_perfect_output_scores_100(language: str) -> None:
    assert bleu(HYPOTHESES[language], [HYPOTHESES[language]], target_language=language).value == pytest.approx(100)
    assert chrf(HYPOTHESES[language], [HYPOTHESES[language]], target_language=language).value == pytest.approx(100)


def test_golden_by_hand() -> None:
    # 5 of 6 unigrams, 3 of 5 bigrams, 2 of 4 trigrams, 1 of 3 four-grams; as long as the reference.
    score = bleu(["the cat sat on a mat"], [["the cat sat on the mat"]], target_language="en")
    assert score.value == pytest.approx(100 * (5 / 6 * 3 / 5 * 2 / 4 * 1 / 3) ** 0.25)
    assert score.length_ratio == 1.0
    assert score.text.startswith("BLEU = 53.73 83.3/60.0/50.0/33.3 (BP = 1.000")


def test_golden_chinese_counts_characters() -> None:
    # 我 喜 欢 猫 。 against 我 喜 欢 狗 。: 4 of 5, 2 of 4, 1 of 3, and 0 of 2, smoothed to half a match (`exp`).
    score = bleu(["我喜欢猫。"], [["我喜欢狗。"]], target_language="zh")
    assert score.value == pytest.approx(100 * (4 / 5 * 2 / 4 * 1 / 3 * 0.5 / 2) ** 0.25)


def test_the_wrong_tokeniser_would_show() -> None:
    right = bleu(HYPOTHESES["zh"], REFERENCES["zh"], target_language="zh").value
    wrong = bleu(HYPOTHESES["zh"], REFERENCES["zh"], target_language="en").value
    assert right > 3 * wrong


def test_absent_references() -> None:
    first, second = REFERENCES["zh"]
    partly = [second[0], None, None, second[3], None]
    score = bleu(HYPOTHESES["zh"], [first, partly], target_language="zh")
    assert score.signature.startswith("nrefs:var|")
    # Exactly as if the absent ones repeated the first reference.
    filled = [one if two is None else two for one, two in zip(first, partly, strict=True)]
    assert score.value == bleu(HYPOTHESES["zh"], [first, filled], target_language="zh").value
    several, repeated = ([first, other] for other in (partly, filled))
    assert chrf(HYPOTHESES["zh"], several, target_language="zh").value == pytest.approx(
        chrf(HYPOTHESES["zh"], repeated, target_language="zh").value
    )
    assert (
        chrf(HYPOTHESES["zh"], several, target_language="zh").value
        > chrf(HYPOTHESES["zh"], [first], target_language="zh").value
    )


@pytest.mark.parametrize("function", [bleu, chrf])
class TestTraps:
    def test_flat_references(self, function) -> None:  # type: ignore[no-untyped-def]
        with pytest.raises(DataError, match="reference set 1 is str, not a list"):
            function(["你好", "再见"], ["你好", "再见"], target_language="zh")

    def test_references_by_sentence(self, function) -> None:  # type: ignore[no-untyped-def]
        by_sentence = [["a"], ["b"], ["c"]]
        with pytest.raises(DataError, match=r"3 translations, but reference set 1 has 1 .* grouped by sentence"):
            function(["a", "b", "c"], by_sentence, target_language="en")

    def test_unequal_lengths(self, function) -> None:  # type: ignore[no-untyped-def]
        with pytest.raises(DataError, match="3 translations, but reference set 2 has 2 sentences"):
            function(["a", "b", "c"], [["a", "b", "c"], ["a", "b"]], target_language="en")

    def test_nothing(self, function) -> None:  # type: ignore[no-untyped-def]
        with pytest.raises(DataError, match="the list of translations is empty"):
            function([], [[]], target_language="en")
        with pytest.raises(DataError, match="1 translations to score, but no reference set"):
            function(["a"], [], target_language="en")

    def test_one_string(self, function) -> None:  # type: ignore[no-untyped-def]
        with pytest.raises(DataError, match="one string"):
            function("a", [["a"]], target_language="en")

    def test_sentence_without_reference(self, function) -> None:  # type: ignore[no-untyped-def]
        with pytest.raises(DataError, match="sentence 2 has no reference"):
            function(["a", "b"], [["a", None]], target_language="en")

    def test_unknown_language(self, function) -> None:  # type: ignore[no-untyped-def]
        with pytest.raises(ConfigError, match="'de', but it must be one of: en, zh"):
            function(["a"], [["a"]], target_language="de")


def test_sacrebleu_still_falls_into_the_traps() -> None:
    """Why the checks exist; when this fails, sacreBLEU has learned them itself."""
    flat = sacrebleu.corpus_bleu(["the cat sat on the mat"], ["the cat sat on the mat"]).score  # type: ignore[list-item]
    assert flat < 100
    assert sacrebleu.corpus_bleu(["a b c d", "x"], [["a b c d"]]).score == pytest.approx(100)
