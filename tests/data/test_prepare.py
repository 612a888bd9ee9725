import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from nmt.config import (
    AlignedFiles,
    CleanConfig,
    FilesConfig,
    PrepareConfig,
    TextConfig,
    TsvConfig,
    TsvFile,
)
from nmt.data.folder import Recipe, changes
from nmt.data.overlap import checksum
from nmt.data.prepare import prepare
from nmt.data.prepared import load_prepared
from nmt.errors import DataError
from nmt.text.normalise import normalise

DATA = Path(__file__).parents[2] / "data"
DIRECTIONS = ("en-zh", "zh-en")


def sample_config(output: Path, **settings) -> PrepareConfig:
    return PrepareConfig(
        output=str(output),
        data=TsvConfig(name="sample", train=TsvFile(path=str(DATA / "sample.tsv")), **settings),
        text=TextConfig(vocab_size_en=800, vocab_size_zh=1600),
    )


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    log: list[str] = []
    folder = prepare(sample_config(tmp_path_factory.mktemp("sample") / "sample"), log.append)
    return load_prepared(folder), log


@pytest.fixture(scope="module")
def joint(tmp_path_factory):
    config = sample_config(tmp_path_factory.mktemp("joint") / "sample")
    config.text = TextConfig(joint=True, vocab_size_joint=1900)
    return config, load_prepared(prepare(config, lambda line: None))


# --- one vocabulary for both ------------------------------------------------------------------------------------------


def test_a_joint_vocabulary_is_one_file_twice_that_spells_both_languages(joint):
    _, prepared = joint
    assert prepared.tokenizer("en") == prepared.tokenizer("zh")
    tokenizer, train = prepared.tokenizer("en"), prepared.train()
    assert 300 < len(tokenizer) <= 1900
    for language in ("en", "zh"):
        lines, ids = list(train[language]), list(train[f"{language}_ids"])
        assert ids == tokenizer.encode(lines)
        assert [tokenizer.decode(own) for own in ids] == lines
    assert tokenizer.has_piece("e")
    assert tokenizer.has_piece("的")
    sizes = {entry["size"] for entry in prepared.manifest["counts"]["vocabulary"].values()}
    assert sizes == {len(tokenizer)}


def test_a_joint_folder_is_made_once_and_anew_when_vocabularies_are_to_be_two(joint):
    config, _ = joint
    log: list[str] = []
    prepare(config, log.append)
    assert log == [f"{config.output} is up to date"]
    prepare(replace(config, text=TextConfig(vocab_size_en=800, vocab_size_zh=1600)), log.append)
    assert any("text.joint: True -> False" in line for line in log)
    again = load_prepared(config.output)
    assert again.tokenizer("en") != again.tokenizer("zh")


# --- the folder -------------------------------------------------------------------------------------------------------


def test_the_folder_serves_both_directions(sample):
    prepared, _ = sample
    train = prepared.train()
    assert train.column_names == ["en", "zh", "en_ids", "zh_ids"]
    assert len(train) == prepared.manifest["splits"]["train"]["pairs"] == 320 - 16 - 16
    for language in ("en", "zh"):
        tokenizer = prepared.tokenizer(language)
        lines, ids = list(train[language]), list(train[f"{language}_ids"])
        assert ids == tokenizer.encode(lines)
        assert [tokenizer.decode(own) for own in ids] == lines
    for split in ("dev", "test"):
        there, back = (prepared.heldout(split, direction) for direction in DIRECTIONS)
        assert len(there) == len(back) == 16
        assert there.references == [back.sources]  # every sentence of the sample has one translation


def test_the_manifest_tells_where_everything_came_from(sample):
    prepared, _ = sample
    manifest = json.loads((prepared.path / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["format_version"] == 1
    assert manifest["name"] == "sample"
    assert manifest["inputs"][0]["path"] == "sample.tsv"
    assert manifest["inputs"][0]["bytes"] == (DATA / "sample.tsv").stat().st_size
    assert manifest["counts"]["lines"] == manifest["counts"]["read"] == 320
    assert manifest["counts"]["kept"] == {"train": 320 - 16 - 16, "dev": 16, "test": 16}
    assert manifest["settings"]["data"]["train"]["path"] == "sample.tsv"  # no folder of one machine
    assert manifest["settings"]["text"]["vocab_size_zh"] == 1600
    assert manifest["counts"]["vocabulary"]["zh"]["dev"]["unknown"] == 0
    assert manifest["splits"]["test"]["zh-en"] == {"sentences": 16, "references": 16}


def test_the_report_has_the_numbers_a_person_asks_for(sample):
    prepared, log = sample
    text = "\n".join(log)
    assert "sample: 320 pairs read from sample.tsv" in text
    assert "licence                   not given" in text
    for name in ("groups", "dropped: duplicate", "train", "dev en-zh", "test zh-en", "vocabulary en"):
        assert f"\n  {name}" in text
    assert log[-1] == f"{prepared.path} is ready"


def test_the_report_tells_what_a_vocabulary_can_not_write(sample):
    prepared, log = sample
    for language in ("en", "zh"):
        entry = prepared.manifest["counts"]["vocabulary"][language]
        assert all(entry[split]["unknown"] == 0 for split in ("train", "dev", "test"))
        left, tokenizer = entry["left_to_bytes"], prepared.tokenizer(language)
        own = [char for line in prepared.train()[language] for char in line]
        missing = {char for char in own if not tokenizer.has_piece(char)}
        assert left["characters"] == len(missing)
        assert set(left["most_frequent"]) == missing
    zh = prepared.manifest["counts"]["vocabulary"]["zh"]
    assert zh["left_to_bytes"]["occurrences"] > 0
    assert zh["dev"]["bytes"] > 0
    assert any(f"{zh['left_to_bytes']['characters']:,} characters have none" in line for line in log)


def test_the_same_command_gives_the_same_bytes(sample, tmp_path):
    prepared, _ = sample
    again = prepare(sample_config(tmp_path / "again"), lambda _: None)
    files = sorted(path.relative_to(again) for path in again.rglob("*") if path.is_file())
    assert len(files) == 4 + 5 * 3
    for file in files:
        assert (again / file).read_bytes() == (prepared.path / file).read_bytes(), file


def test_a_dry_run_only_reports(tmp_path):
    log: list[str] = []
    rows = ["Hello.\t你好。", *(f"Number {n} is here: <b>.\t这里是{n}号。" for n in range(20, 29))]
    (tmp_path / "pairs.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8", newline="\n")
    config = replace(sample_config(tmp_path / "out"), dry_run=True)
    config.data = replace(config.data, train=TsvFile(path=str(tmp_path / "pairs.tsv")))
    prepare(config, log.append)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.report.html", "out.report.json", "pairs.tsv"]
    report = json.loads((tmp_path / "out.report.json").read_text(encoding="utf-8"))
    dropped = report["counts"]["dropped"]["markup"]
    assert dropped["pairs"] == 9
    assert [one["line"] for one in dropped["examples"]] == [2, 3, 4, 5, 6]
    page = (tmp_path / "out.report.html").read_text(encoding="utf-8")
    assert "Number 24 is here: &lt;b&gt;." in page
    assert "://" not in page  # nothing is loaded from elsewhere
    assert sum("is here: <b>. | 这里是" in line for line in log) == 5
    kept = report["splits"]["train"]["pairs"]
    assert kept + sum(entry["pairs"] for entry in report["counts"]["dropped"].values()) == report["counts"]["read"]


# --- again and again --------------------------------------------------------------------------------------------------


def test_a_finished_folder_is_used_again_until_a_setting_or_an_input_changes(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_bytes((DATA / "sample.tsv").read_bytes())
    config = sample_config(tmp_path / "out")
    config.data = replace(config.data, train=TsvFile(path=str(path)))
    log: list[str] = []
    prepare(config, log.append)
    stamp = (tmp_path / "out" / "manifest.json").stat().st_mtime_ns

    log.clear()
    prepare(config, log.append)
    assert log == [f"{tmp_path / 'out'} is up to date"]
    assert (tmp_path / "out" / "manifest.json").stat().st_mtime_ns == stamp

    log.clear()
    prepare(replace(config, clean=CleanConfig(max_units=50)), log.append)
    assert "is made anew: clean.max_units: 200 -> 50" in log[0]

    path.write_bytes(path.read_bytes() + "One more.\t还有一个。\n".encode())
    log.clear()
    prepare(replace(config, clean=CleanConfig(max_units=50)), log.append)
    assert "is made anew: pairs.tsv has other contents" in log[0]
    assert load_prepared(tmp_path / "out").manifest["counts"]["read"] == 321

    (tmp_path / "out" / "zh.spm").unlink()
    log.clear()
    prepare(replace(config, clean=CleanConfig(max_units=50)), log.append)
    assert "is not whole and is made anew" in log[0]
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["out", "pairs.tsv"]  # nothing left behind


def test_two_inputs_of_one_name_are_told_apart():
    def inputs(*sums: str) -> list[dict[str, str]]:
        return [{"path": "a.en", "sha256": value} for value in sums]

    manifest = {"settings": {}, "inputs": inputs("of train", "of dev")}
    assert changes(manifest, Recipe({}, inputs("of train", "of dev"), "")) == []
    assert changes(manifest, Recipe({}, inputs("other", "of dev"), "")) == ["a.en has other contents"]
    assert changes(manifest, Recipe({}, inputs("of train", "other"), "")) == ["a.en has other contents"]


def test_a_failure_leaves_the_old_folder_and_nothing_else(tmp_path, monkeypatch):
    config = sample_config(tmp_path / "out")
    prepare(config, lambda _: None)
    before = (tmp_path / "out" / "manifest.json").read_bytes()

    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("nmt.data.arrow.write_heldout", fail)
    with pytest.raises(KeyboardInterrupt):
        prepare(replace(config, seed=2), lambda _: None)
    assert (tmp_path / "out" / "manifest.json").read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


def test_a_folder_of_something_else_is_not_overwritten(tmp_path):
    (tmp_path / "thesis.txt").write_text("important", encoding="utf-8")
    with pytest.raises(DataError, match=r"is not empty and is not a prepared folder .* output=FOLDER"):
        prepare(sample_config(tmp_path))
    with pytest.raises(DataError, match=r"thesis\.txt is a file"):
        prepare(sample_config(tmp_path / "thesis.txt"))
    assert (tmp_path / "thesis.txt").read_text(encoding="utf-8") == "important"


def test_an_empty_folder_is_filled(tmp_path):
    (tmp_path / "out").mkdir()
    assert prepare(sample_config(tmp_path / "out"), lambda _: None) == tmp_path / "out"


def test_the_split_does_not_move_when_a_rule_changes(sample, tmp_path):
    prepared, _ = sample
    config = sample_config(tmp_path / "out", dev_groups=5)
    config = replace(config, clean=CleanConfig(max_units=20, max_ratio=1.5), seed=7)
    other = load_prepared(prepare(config, lambda _: None))
    assert len(other.train()) < 0.9 * len(prepared.train())
    for direction in DIRECTIONS:
        assert other.heldout("test", direction) == prepared.heldout("test", direction)
        assert other.heldout("dev", direction).sources == prepared.heldout("dev", direction).sources[:5]


# --- the script of Chinese text ---------------------------------------------------------------------------------------

SCRIPTS = "The library is open.\t圖書館開放了。\nThe door is open.\t开门了，图书馆开放。\nHow are you?\t你好嗎？\n"


def scripts(folder: Path, **settings) -> tuple[dict, list[str]]:
    (folder / "pairs.tsv").write_text(SCRIPTS, encoding="utf-8", newline="\n")
    config = sample_config(folder / "out", **settings)
    config.data = replace(config.data, train=TsvFile(path=str(folder / "pairs.tsv")))
    prepared = load_prepared(prepare(config, lambda _: None))
    return prepared.manifest["counts"], list(prepared.train()["zh"])


def test_lines_clearly_in_the_other_script_are_dropped_and_short_ones_kept(tmp_path):
    counts, kept = scripts(tmp_path)
    assert kept == ["开门了，图书馆开放。", "你好嗎？"]
    assert counts["dropped"]["other script"]["pairs"] == 1
    assert counts["scripts"] == {"hans": 1, "hant": 1, "mixed": 0, "unclear": 1}
    counts, kept = scripts(tmp_path, chinese="hant")
    assert kept == ["圖書館開放了。", "你好嗎？"]


def test_the_other_script_can_be_kept(tmp_path):
    assert len(scripts(tmp_path, script="keep")[1]) == 3


def test_the_other_script_can_be_converted(tmp_path):
    pytest.importorskip("opencc", reason="OpenCC is not installed")
    assert scripts(tmp_path, script="convert")[1] == ["图书馆开放了。", "开门了，图书馆开放。", "你好吗？"]
    assert scripts(tmp_path, script="convert", chinese="hant")[1][1] == "開門了，圖書館開放。"


# --- a person's own files ---------------------------------------------------------------------------------------------


def test_given_dev_and_test_are_kept_as_they_are_and_their_sentences_leave_train(tmp_path):
    rows = [line.split("\t") for line in (DATA / "sample.tsv").read_text(encoding="utf-8").split("\n")[:-1]]
    held_out = [("Ｗait  “here”…", "在这儿 等!"), ("", "空"), (rows[0][0].upper(), "别的话。")]
    files = {}
    for name, pairs in (("train", rows), ("test", held_out)):
        for side, suffix in ((0, "en"), (1, "zh")):
            (tmp_path / f"{name}.{suffix}").write_text(
                "".join(f"{pair[side]}\n" for pair in pairs), encoding="utf-8", newline="\n"
            )
        files[name] = AlignedFiles(source=str(tmp_path / f"{name}.zh"), target=str(tmp_path / f"{name}.en"))
    config = PrepareConfig(
        output=str(tmp_path / "out"),
        data=FilesConfig(name="mine", source_language="zh", target_language="en", **files),
        text=TextConfig(vocab_size_en=800, vocab_size_zh=1600),
    )
    prepared = load_prepared(prepare(config, lambda _: None))
    test = prepared.heldout("test", "en-zh")
    assert test.sources == ["Ｗait “here”…", rows[0][0].upper()]  # tidied, and the corpus's own words
    assert test.references == [["在这儿 等!", "别的话。"]]
    assert prepared.heldout("test", "zh-en").sources == ["在这儿 等!", "别的话。"]
    assert len(prepared.heldout("dev", "en-zh")) == 15
    dropped = prepared.manifest["counts"]["dropped"]
    assert (dropped["blank"]["pairs"], dropped["in dev or test"]["pairs"]) == (1, 1)
    assert rows[0][0] not in list(prepared.train()["en"])


LEAK = "A long English sentence of the news that a careless person put into the training text too"


def test_what_overlaps_with_a_test_set_leaves_train_and_is_written_down(tmp_path):
    rows = (DATA / "sample.tsv").read_text(encoding="utf-8")
    (tmp_path / "pairs.tsv").write_text(
        rows + f"So it was: {LEAK}.\t从前有人把一句很长的英语放进了训练文本里面。\n", encoding="utf-8"
    )
    first = rows.split("\n")[0].split("\t")[0]
    (tmp_path / "news.en").write_text(f"{LEAK}!\n{first}\nNothing of this is known.\n", encoding="utf-8")
    config = sample_config(tmp_path / "out", decontaminate=[str(tmp_path / "news.en")])
    config.data = replace(config.data, train=TsvFile(path=str(tmp_path / "pairs.tsv")))
    prepared = load_prepared(prepare(config, lambda _: None))
    dropped = prepared.manifest["counts"]["dropped"]
    assert (dropped["in dev or test"]["pairs"], dropped["near dev or test"]["pairs"]) == (1, 1)
    entries = {entry["name"]: entry for entry in prepared.manifest["overlap"]}
    assert set(entries) == {"news.en", "dev", "test"}
    news = entries["news.en"]
    assert (news["sentences"], news["overlapping"], news["removed"]) == (3, 2, True)
    assert news["sha256"]["en"] == checksum([f"{LEAK}!", first, "Nothing of this is known."])
    assert not any(LEAK in line or line == first for line in prepared.train()["en"])
    assert any(entry["path"] == "news.en" for entry in prepared.manifest["inputs"])

    config = replace(config, clean=CleanConfig(decontaminate=False))
    prepared = load_prepared(prepare(config, lambda _: None))
    news = next(entry for entry in prepared.manifest["overlap"] if entry["name"] == "news.en")
    assert (news["overlapping"], news["removed"]) == (2, False)
    assert any(LEAK in line for line in prepared.train()["en"])


def test_awkward_lines_are_prepared_and_counted(tmp_path):
    config = sample_config(tmp_path / "out")
    config.data = replace(config.data, train=TsvFile(path=str(DATA / "awkward.tsv")))
    log: list[str] = []
    prepared = load_prepared(prepare(config, log.append))
    assert prepared.manifest["counts"]["read"] == 51
    assert prepared.manifest["counts"]["dropped"]["blank"]["pairs"] == 4
    assert any("inside lines (U+2028" in line for line in log)
    for language in ("en", "zh"):
        tokenizer = prepared.tokenizer(language)
        lines = list(prepared.train()[language])
        assert [tokenizer.decode(ids) for ids in prepared.train()[f"{language}_ids"]] == lines
        assert all(normalise(line, language) == line and len(line.splitlines()) == 1 for line in lines)


def test_a_corpus_too_small_to_split_still_has_its_tables(tmp_path):
    (tmp_path / "few.tsv").write_text("Hello.\t你好。\nThank you.\t谢谢。\n", encoding="utf-8", newline="\n")
    config = sample_config(tmp_path / "out")
    config.data = replace(config.data, train=TsvFile(path=str(tmp_path / "few.tsv")))
    prepared = load_prepared(prepare(config, lambda _: None))
    assert len(prepared.train()) == 2
    assert prepared.heldout("test", "en-zh").sources == []


def test_a_corpus_with_nothing_left_is_named(tmp_path):
    (tmp_path / "blank.tsv").write_text("\t你好。\n \t\n", encoding="utf-8", newline="\n")
    config = sample_config(tmp_path / "out")
    config.data = replace(config.data, train=TsvFile(path=str(tmp_path / "blank.tsv")))
    with pytest.raises(DataError, match="no training pair is left"):
        prepare(config, lambda _: None)
    assert not (tmp_path / "out").exists()


# --- opening a folder -------------------------------------------------------------------------------------------------


def test_a_missing_folder_is_named_with_the_command_that_makes_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match=r"no folder prepared/tatoeba\. Make it with: nmt prepare data=tatoeba$"):
        load_prepared("prepared/tatoeba")
    with pytest.raises(DataError, match=r"Make it with: nmt prepare data=files data\.name=mine data\.train\.source="):
        load_prepared(tmp_path / "mine")


def test_another_folder_and_another_format_are_named(tmp_path):
    with pytest.raises(DataError, match=r"is not a prepared folder: it has no manifest\.json"):
        load_prepared(tmp_path)
    (tmp_path / "manifest.json").write_text('{"format_version": 99}', encoding="utf-8")
    with pytest.raises(DataError, match="format version 99, but this program reads version 1: run the same"):
        load_prepared(tmp_path)
    log: list[str] = []
    prepare(sample_config(tmp_path), log.append)
    assert "was written by another version of this program and is made anew" in log[0]
    assert len(load_prepared(tmp_path).train()) == 288


@pytest.mark.parametrize("name", ["data-00000-of-00001.arrow", "state.json", "dataset_info.json"])
def test_a_damaged_table_is_named_with_what_to_do(sample, tmp_path, name):
    folder = tmp_path / "out"
    shutil.copytree(sample[0].path, folder)
    file = folder / "train" / name
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    with pytest.raises(DataError, match=r"out/train is damaged .*: remove it and run the same `nmt prepare` again"):
        load_prepared(folder).train()
    shutil.rmtree(folder / "train")
    prepare(sample_config(folder), lambda _: None)
    assert len(load_prepared(folder).train()) == 288


def test_what_a_folder_does_not_have_is_named(sample):
    prepared, _ = sample
    with pytest.raises(DataError, match="has no train en-zh: it has dev and test"):
        prepared.heldout("train", "en-zh")
    with pytest.raises(DataError, match="has no language 'de'"):
        prepared.tokenizer("de")


def test_importing_the_data_layer_imports_nothing_heavy():
    heavy = ("torch", "datasets", "sentencepiece", "opencc", "pyarrow", "numpy", "hydra")
    code = f"import sys, nmt.text, nmt.data.prepare, nmt.data.prepared; print([m for m in {heavy} if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
