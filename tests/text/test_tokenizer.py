import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nmt.errors import ConfigError, DataError
from nmt.text.normalise import normalise
from nmt.text.tokenizer import BOS, EOS, PAD, UNK, Tokenizer, learn

SAMPLE = Path(__file__).parents[2] / "data" / "sample.tsv"


def sample(language: str) -> list[str]:
    lines = SAMPLE.read_bytes().decode("utf-8").split("\n")[:-1]
    return [normalise(line.split("\t")[language == "zh"], language) for line in lines]


def learned(lines, *, language="en", vocab_size=1000, coverage=1.0, algorithm="unigram", seed=1):
    return learn(lines, language=language, vocab_size=vocab_size, coverage=coverage, algorithm=algorithm, seed=seed)


@pytest.fixture(scope="module", params=["unigram", "bpe"])
def algorithm(request):
    return request.param


@pytest.fixture(scope="module")
def tokenizers(algorithm):
    return {
        language: learned(sample(language), language=language, algorithm=algorithm, vocab_size=size, coverage=0.99)
        for language, size in (("en", 800), ("zh", 1600))
    }


@pytest.fixture(scope="module")
def joint(algorithm):
    lines = sample("en") + sample("zh")
    return learned(lines, language="joint", algorithm=algorithm, vocab_size=1900, coverage=0.99)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_line_of_the_sample_survives_the_round_trip(tokenizers, language):
    lines = sample(language)
    tokenizer = tokenizers[language]
    ids = tokenizer.encode(lines)
    assert [tokenizer.decode(own) for own in ids] == lines
    assert all(max(own) < len(tokenizer) and min(own) > EOS for own in ids)


@given(text=st.text(max_size=40), language=st.sampled_from(["en", "zh"]))
def test_any_text_survives_the_round_trip_through_a_joint_vocabulary(joint, text, language):
    clean = normalise(text, language)
    (ids,) = joint.encode([clean])
    assert joint.decode(ids) == clean
    assert not {PAD, UNK, BOS, EOS} & set(ids)


def test_a_joint_vocabulary_that_is_too_small_is_explained(algorithm):
    with pytest.raises(ConfigError, match=r"text\.vocab_size_joint is 300"):
        learned(sample("en") + sample("zh"), language="joint", algorithm=algorithm, vocab_size=300)


@pytest.mark.parametrize("language", ["en", "zh"])
@given(text=st.text(max_size=40))
def test_any_text_survives_the_round_trip_without_control_ids(tokenizers, language, text):
    clean = normalise(text, language)
    (ids,) = tokenizers[language].encode([clean])
    assert tokenizers[language].decode(ids) == clean
    assert not {PAD, UNK, BOS, EOS} & set(ids)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("text", ["<s>", "</s> <unk>", "a <pad> b", "<0x41>", "𠀀𠮷圖😂\u2585\ufffd", "<s>和</s>"])
def test_names_of_controls_and_rare_characters_are_ordinary_text(tokenizers, language, text):
    (ids,) = tokenizers[language].encode([text])
    assert min(ids) > EOS
    assert tokenizers[language].decode(ids) == text


def test_a_space_is_a_space_even_where_the_corpus_had_none(algorithm):
    tokenizer = learned(["你好。", "好的。", "我很好。"], language="zh", vocab_size=300, algorithm=algorithm)
    (ids,) = tokenizer.encode(["你 a b"])
    assert tokenizer.decode(ids) == "你 a b"


def test_controls_have_fixed_ids_and_stand_for_no_text(tokenizers):
    tokenizer = tokenizers["en"]
    assert tokenizer.pieces([PAD, UNK, BOS, EOS]) == ["<pad>", "<unk>", "<s>", "</s>"]
    (ids,) = tokenizer.encode(["Good morning."])
    assert tokenizer.decode([BOS, *ids, EOS, PAD, UNK]) == "Good morning."
    assert tokenizer.encode(["", "a"])[0] == []


def test_only_english_is_read_as_if_it_began_with_a_space(tokenizers):
    assert tokenizers["en"].pieces(tokenizers["en"].encode(["the"])[0])[0].startswith("▁")
    assert not tokenizers["zh"].pieces(tokenizers["zh"].encode(["我"])[0])[0].startswith("▁")


def test_digits_are_split_and_bytes_are_known_as_bytes(tokenizers):
    (ids,) = tokenizers["en"].encode(["2020"])
    assert "".join(tokenizers["en"].pieces(ids)).lstrip("▁") == "2020"
    assert all(len(piece.lstrip("▁")) <= 1 for piece in tokenizers["en"].pieces(ids))
    (rare,) = tokenizers["zh"].encode(["\U00030000"])
    assert sum(map(tokenizers["zh"].is_byte, rare)) == 4


def test_the_same_lines_give_the_same_bytes(algorithm):
    lines = sample("en")[:100]
    assert learned(lines, vocab_size=500, algorithm=algorithm) == learned(lines, vocab_size=500, algorithm=algorithm)


def test_bytes_files_and_pickles_hold_the_whole_tokenizer(tokenizers, tmp_path):
    tokenizer = tokenizers["zh"]
    (tmp_path / "zh.spm").write_bytes(tokenizer.to_bytes())
    for copy in (
        Tokenizer.from_bytes(tokenizer.to_bytes()),
        Tokenizer.load(tmp_path / "zh.spm"),
        pickle.loads(pickle.dumps(tokenizer)),
    ):
        assert copy == tokenizer
        assert hash(copy) == hash(tokenizer)
        assert len(copy) == len(tokenizer)
        assert copy.encode(["你好，世界！"]) == tokenizer.encode(["你好，世界！"])


def test_a_small_corpus_gives_fewer_pieces_than_asked_for(algorithm):
    tokenizer = learned(sample("en")[:20], vocab_size=8000, algorithm=algorithm)
    assert 300 < len(tokenizer) < 8000


def test_a_line_longer_than_sentencepiece_likes_is_learned_from():
    tokenizer = learned([" ".join(sample("en"))])
    assert "▁the" in tokenizer.pieces(range(len(tokenizer)))


def test_an_empty_corpus_is_named():
    with pytest.raises(DataError, match="no en text to learn a vocabulary from"):
        learned(["", ""])


def test_a_vocabulary_too_small_for_the_characters_is_named_with_the_size_it_needs(algorithm):
    with pytest.raises(
        ConfigError, match=r"text.vocab_size_zh is 300, but the characters .* need \d+ pieces: raise it"
    ):
        learned(sample("zh"), language="zh", vocab_size=300, algorithm=algorithm)


def test_what_is_not_a_model_is_named(tmp_path):
    (tmp_path / "x.spm").write_bytes(b"not a model")
    with pytest.raises(DataError, match=r"x.spm is not a SentencePiece model"):
        Tokenizer.load(tmp_path / "x.spm")
    with pytest.raises(DataError, match="not a SentencePiece model"):
        Tokenizer.from_bytes(b"not a model")
    with pytest.raises(DataError, match=r"Can not read the SentencePiece model .*y.spm: No such file"):
        Tokenizer.load(tmp_path / "y.spm")
