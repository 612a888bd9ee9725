"""Each format: what a pair is, what is skipped for which reason, and what stops with a sentence."""

import gzip
import struct
import zipfile
from pathlib import Path

import pytest

from nmt.config import FORMATS, AutoConfig, AutoFile, HuggingFaceConfig, HuggingFaceSet
from nmt.data.corpus import Pair
from nmt.data.lines import LineCounts, Rule
from nmt.data.parts import parts
from nmt.data.readers import READERS, Job, detect, read, read_two
from nmt.data.readers.base import speaks
from nmt.errors import ConfigError, DataError

pytest.importorskip("lxml", reason="the extra `formats` is not installed")
pytest.importorskip("polib", reason="the extra `formats` is not installed")

EN_ZH = [("One.", "一。"), ("Two", "二")]
TMX = """<?xml version="1.0"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header/><body>
<tu><tuv xml:lang="EN-US"><seg>Press <ph>{0}</ph>&lt;OK&gt;<hi>!</hi></seg></tuv>
<tuv xml:lang="zh-CN"><seg>按<bpt i="1">&lt;b></bpt>确定！</seg></tuv>
<tuv xml:lang="zh-TW"><seg>按確定！</seg></tuv></tu>
<tu><tuv lang="de"><seg>Nein</seg></tuv><tuv lang="zh"><seg>不</seg></tuv></tu>
<tu><tuv lang="zh"><seg>二</seg></tuv><tuv lang="en"><seg>a
b<!-- c --></seg></tuv></tu>
</body></tmx>
"""
XLIFF_1 = """<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
<file source-language="en" target-language="zh-Hans"><body><group>
<trans-unit id="1"><source>Press <g id="1">OK</g><x id="2"/></source>
<target state="translated">按<g id="1">确定</g></target>
<alt-trans><target>别的</target></alt-trans></trans-unit>
<trans-unit id="2"><source>New</source><target state="new">New</target></trans-unit>
<trans-unit id="3"><source>Nothing</source></trans-unit></group></body></file>
<file source-language="zh" target-language="en"><body>
<trans-unit id="1"><source>二</source><target>Two</target></trans-unit></body></file></xliff>
"""
XLIFF_2 = """<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="zh-CN" trgLang="en">
<file id="f">
<unit id="1"><segment state="final"><source>按<pc id="1">确定</pc></source>
<target>Press <pc id="1">OK</pc></target></segment>
<segment state="initial"><source>新</source>
<target>新</target></segment></unit></file></xliff>
"""
PO = r"""#
msgid ""
msgstr "Language: zh_CN\nContent-Type: text/plain; charset=UTF-8\n"

msgid "One"
msgstr "一"

#, fuzzy
msgid "Perhaps"
msgstr "也许"

msgid "Untranslated"
msgstr ""

msgid "%d file"
msgid_plural "%d files\n"
msgstr[0] "%d 个"
"文件"

#~ msgid "Old"
#~ msgstr "旧"
"""
WMT = """<?xml version='1.0' encoding='utf-8'?><dataset id="x"><collection>
<doc id="1"><src lang="en"><p><seg id="1">One.</seg><seg id="2">Two &amp; three</seg></p></src>
<ref lang="zh" translator="A"><p><seg id="2">二和三</seg><seg id="1">一。</seg></p></ref>
<ref lang="zh" translator="B"><p><seg id="1">壹。</seg></p></ref>
<hyp system="X" lang="zh"><p><seg id="1">零</seg></p></hyp></doc>
<doc id="2"><src lang="zh"><p><seg id="1">四</seg><seg id="2">五</seg></p></src>
<ref lang="en" translator="A"><p><seg id="1">Four</seg></p></ref></doc></collection></dataset>
"""


@pytest.fixture
def write(tmp_path):
    def to(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return to


def load(path: Path, **settings) -> tuple[list[tuple[str, str]], dict[str, int]]:
    """The pairs of a file, and what gave none."""
    counts = LineCounts()
    pairs = read(Job(path, **settings), counts)
    return [(pair.source, pair.target) for pair in pairs], counts.skipped


def moses(path: Path, members: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return path


def mo(entries: dict[str, str]) -> bytes:
    """A little-endian MO file."""
    keys = [text.encode() for text in sorted(entries)]
    values = [entries[text].encode() for text in sorted(entries)]
    at, table, body = 28 + 16 * len(keys), b"", b""
    for text in [*keys, *values]:
        table += struct.pack("<2I", len(text), at + len(body))
        body += text + b"\0"
    return struct.pack("<7I", 0x950412DE, 0, len(keys), 28, 28 + 8 * len(keys), 0, 0) + table + body


# --- tables and records -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "settings", "skipped"),
    [
        ("One.\t一。\tx\nTwo\t二\n", {}, {}),
        ("EN\tzh_CN\nOne.\t一。\nTwo\t二\n", {}, {"header": 1}),
        ("id\ttarget\tsource\n1\t一。\tOne.\n2\t二\tTwo\n", {}, {"header": 1}),
        ("en_id\tzh\tid\ten\n1\t一。\t2\tOne.\n1\t二\t2\tTwo\n", {}, {"header": 1}),
        ("1\t一。\tOne.\n2\t二\tTwo\n", {"source_field": "3", "target_field": "2"}, {}),
        ("a\tb\nOne.\t一。\nTwo\t二\n", {"source_field": "a", "target_field": "b"}, {"header": 1}),
    ],
)
def test_columns(write, text, settings, skipped):
    assert load(write("a.tsv", text), **settings) == (EN_ZH, skipped)
    assert load(write("a.csv", text.replace("\t", ",")), **settings) == (EN_ZH, skipped)


def test_a_csv_has_quotation_marks_and_line_breaks(write):
    path = write("a.csv", '\ufeffen,zh\r\n"He said ""no"",\nthen\u2028left.",他走了。\r\n\r\nx,\n')
    counts = LineCounts()
    pairs = list(read(Job(path), counts))
    assert pairs == [Pair('He said "no", then left.', "他走了。", 2), Pair("", "", 4), Pair("x", "", 5)]
    assert (counts.separators, counts.byte_order_marks, counts.skipped) == (2, 1, {"header": 1})


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", 'a,一\n"b,二\nc,三\n', r"a\.csv:2: the row that begins here is not CSV: unexpected end of data"),
        ("a.csv", 'a,一\n"b" x,二\n', r"a\.csv:2: .*not CSV"),
        ("a.csv", "a,一\nb\n", r"a\.csv:2: found 1 column"),
        ("a.tsv", "a\t一\nb\n", r"a\.tsv:2: found 1 column"),
        ("a.jsonl", '{"en": "a", "zh": "一"}\n{"en": \n', r"a\.jsonl:2: this line is not JSON"),
        ("a.jsonl", '{"en": "a", "zh": "一"}\n[]\n', r"a\.jsonl:2: this line is not a JSON object"),
        ("a.jsonl", '{"en": "a", "zh": 1}\n', r"a\.jsonl:1: the field 'zh' is not text but int"),
        ("a.jsonl", '{"en": "a", "zh": "\\ud800"}\n', r"a\.jsonl:1: there is half a surrogate pair"),
        ("a.jsonl", '{"one": "a", "two": "1"}\n', r"found the fields one, two, but none of them says which is en"),
    ],
)
def test_a_fault_stops_with_its_place(write, name, text, message):
    with pytest.raises(DataError, match=message):
        load(write(name, text))


def test_faults_may_be_skipped_and_are_counted(write):
    rule = Rule(on_error="skip", max_bytes=60)
    lines = [
        b'{"en": "a", "zh": "1"}',
        b'{"en": "\xff", "zh": "2"}',
        b'{"en": "\\ud800", "zh": "3"}',
        b"{",
        b'{"en": 1}',
    ]
    lines += [b'{"en": "%s", "zh": "4"}' % (b"x" * 70), b'{"en": "e", "zh": "5"}']
    assert load(write("a.jsonl", b"\n".join(lines)), rule=rule) == (
        [("a", "1"), ("e", "5")],
        {"bad bytes": 2, "not a JSON object": 1, "not text": 1, "too long to read": 1},
    )
    assert load(write("a.tsv", b"a\t1\n\xff\t2\nc\nd\t4\n"), rule=rule) == (
        [("a", "1"), ("d", "4")],
        {"bad bytes": 1, "too few columns": 1},
    )
    assert load(write("a.csv", b"a,1\n\xff,2\nc\nd,4\n"), rule=rule) == (
        [("a", "1"), ("d", "4")],
        {"bad bytes": 1, "too few columns": 1},
    )


@pytest.mark.parametrize(
    ("line", "settings"),
    [
        ('{"en": "%s", "zh": "%s"}', {}),
        ('{"translation": {"zh": "", "en": "%s", "zh": "%s"}}', {}),
        ('{"id": 1, "source": "%s", "target": "%s"}', {}),
        ('{"x": {"y.z": "%s"}, "t": "%s"}', {"source_field": "x.y.z", "target_field": "t"}),
    ],
)
def test_json_lines(write, line, settings):
    text = "\n\n".join(line % pair for pair in EN_ZH)
    assert load(write("a.jsonl", text), **settings) == ([EN_ZH[0], ("", ""), EN_ZH[1]], {})


def test_a_field_that_is_missing_or_null_is_a_blank_side(write):
    assert load(write("a.jsonl", '{"en": "a", "zh": "1"}\n{"en": null}\n{}\n'))[0] == [("a", "1"), ("", ""), ("", "")]


@pytest.mark.parametrize("is_nested", [False, True])
def test_parquet(tmp_path, is_nested):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    columns = {"en": ["One.", None, b"\xff\n", "Two"], "zh": ["一。", "x", "y", "二"]}
    if is_nested:
        columns = {
            language: [b"?" if isinstance(x, bytes) else x for x in texts] for language, texts in columns.items()
        }
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        rows[2] = None
        kind = pa.struct([("en", pa.string()), ("zh", pa.string())])
        table = pa.table({"id": range(4), "translation": pa.array(rows, kind)})
    else:
        raw = pa.array([text.encode() if isinstance(text, str) else text for text in columns["en"]], pa.binary())
        table = pa.table({"zh": columns["zh"], "en": raw.view(pa.string())})
    pq.write_table(table, path := tmp_path / "named.anyhow")
    third = ("", "") if is_nested else ("\ufffd ", "y")
    pairs = [EN_ZH[0], ("", "x"), third, EN_ZH[1]]
    assert load(path, rule=Rule(on_error="replace"))[0] == pairs
    if not is_nested:
        assert load(path, rule=Rule(on_error="skip")) == ([*pairs[:2], pairs[3]], {"bad bytes": 1})
        with pytest.raises(DataError, match="anyhow:3: the text of this row is not UTF-8"):
            load(path)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(DataError, match="not a whole Parquet file"):
        load(path)


# --- XML --------------------------------------------------------------------------------------------------------------


def test_tmx(write):
    path = write("named.anyhow", TMX)
    pairs = [("Press <OK>!", "按确定！"), ("Press <OK>!", "按確定！"), ("a b", "二")]
    assert load(path) == (pairs, {"no en variant": 1})
    assert load(path, target_field="zh-TW") == ([pairs[1]], {"no en variant": 1, "no zh-TW variant": 1})
    flipped = [(target, source) for source, target in pairs]
    assert sorted(load(path, source_language="zh", target_language="en")[0]) == sorted(flipped)


def test_xliff(write):
    assert load(write("a.xml", XLIFF_1)) == ([("Press OK", "按确定"), ("Two", "二")], {"state new": 1, "no target": 1})
    assert load(write("b.xlf", XLIFF_2)) == ([("Press OK", "按确定")], {"state initial": 1})
    with pytest.raises(DataError, match=r"c\.xlf:3: this part is from zh-CN to de, but en and zh are to be read"):
        load(write("c.xlf", XLIFF_2.replace('"en"', '"de"')))


def test_wmt_xml_has_a_pair_for_each_reference(write):
    pairs = [("One.", "一。"), ("One.", "壹。"), ("Two & three", "二和三"), ("Four", "四")]
    assert load(write("a.xml", WMT)) == (pairs, {"no reference": 1})
    only = [("One.", "壹。")]
    assert load(write("a.xml", WMT), target_field="B")[0][:2] == [*only, ("Four", "四")]


SGM = '<%s setid="x" trglang="any"><DOC docid="d1"><p>\n<seg id="1">%s</seg>\n<seg id="2"> b </seg></p></DOC></%s>\n'


def test_sgm_is_two_files_with_the_same_segments(write):
    source, target = (
        write("s.sgm", SGM % ("srcset", "AT&T < &amp; \u2028a", "srcset")),
        write("r.sgm", SGM % ("refset", "一", "refset")),
    )
    counts = LineCounts()
    assert list(read_two(source, target, counts)) == [Pair("AT&T < &  a", "一", 1), Pair(" b ", " b ", 2)]
    assert counts.separators == 1
    with pytest.raises(DataError, match="one side of an SGM test set: give both with data=files"):
        load(source)
    with pytest.raises(DataError, match=r"Segment 2 of .* is 2 of document d1, but that of .* is 3 of document d1"):
        read_two(source, write("r.sgm", (SGM % ("refset", "一", "refset")).replace('id="2"', 'id="3"')), counts)
    with pytest.raises(DataError, match=r"has 2 segments, but .* has 1"):
        read_two(source, write("r.sgm", '<refset><doc docid="d1"><seg id="1">一</seg></doc></refset>'), counts)


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
ATTACKS = {
    "billion laughs": f'<!DOCTYPE tmx [<!ENTITY l0 "ha">{LAUGHS}]><tmx><body><tu>&l11;</tu></body></tmx>',
    "in an attribute": f'<!DOCTYPE tmx [<!ENTITY l0 "ha">{LAUGHS}]><tmx a="&l11;"><body/></tmx>',
    "external entity": '<!DOCTYPE tmx [<!ENTITY x SYSTEM "file:///etc/hostname">]><tmx>'
    '<tu><tuv lang="en"><seg>&x;</seg></tuv>'
    '<tuv lang="zh"><seg>&x;</seg></tuv></tu></tmx>',
    "parameter entity": '<!DOCTYPE tmx [<!ENTITY % x SYSTEM "file:///etc/hostname"> %x;]><tmx><body/></tmx>',
}


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("root", ["tmx", "xliff", "dataset"])
def test_xml_attacks_are_refused(write, attack, root):
    path = write("a.xml", ATTACKS[attack].replace("tmx", root))
    with pytest.raises(DataError, match=r"a\.xml"):
        load(path)


def test_xml_that_is_not_whole_and_entities_that_nobody_declared(write):
    with pytest.raises(DataError, match=r"a\.xml:\d+: this is not well-formed XML"):
        load(write("a.xml", TMX[:-30]))
    with pytest.raises(DataError, match=r"the entity &nbsp; is not one of XML's own five"):
        load(write("a.xml", TMX.replace("Press", "Press&nbsp;")))


# --- catalogues and archives ------------------------------------------------------------------------------------------


def test_po(write):
    pairs = [("One", "一"), ("%d files ", "%d 个文件")]
    skipped = {"header": 1, "fuzzy": 1, "not translated": 1, "obsolete": 1}
    assert load(write("a.po", PO)) == (pairs, skipped)
    assert load(write("a.po", PO.replace("zh_CN", "en")))[0] == [(target, source) for source, target in pairs]
    counts = LineCounts()
    list(read(Job(write("a.po", PO.replace("One", "O\u2028ne"))), counts, "po"))
    assert counts.separators == 2  # the separator, and the escaped line break of the plural
    with pytest.raises(DataError, match="is a catalogue in 'ja'"):
        load(write("a.po", PO.replace("zh_CN", "ja")))
    with pytest.raises(DataError, match=r"a\.po is not a PO file: .*line 3"):
        load(write("a.po", 'msgid "x"\nmsgstr "y"\nnonsense\n'))


def test_a_po_that_reads_like_the_name_of_a_file_is_not_that_file(write):
    secret = write("secret.po", PO)
    with pytest.raises(DataError, match=r"a\.po is not a PO file"):
        load(write("a.po", str(secret)))


def test_mo(write):
    content = mo({"": "Language: zh\nContent-Type: text/plain; charset=UTF-8\n", "One.": "一。", "Two": "二"})
    assert load(write("named.anyhow", content)) == (EN_ZH, {"header": 1})
    assert load(write("named.anyhow", gzip.compress(content, mtime=0)))[0] == EN_ZH
    with pytest.raises(DataError, match="is not a whole MO file"):
        load(write("named.anyhow", content[:40]))


def test_an_archive_of_two_members(tmp_path):
    members = {
        "README": "x",
        "../up/c.en-zh.en": "One.\nTwo",
        "../up/c.en-zh.zh": "一。\r\n二\r\n",
        "c.en-zh.ids": "1\n2\n",
    }
    assert load(moses(tmp_path / "a.zip", members)) == (EN_ZH, {})
    assert not list(tmp_path.parent.rglob("c.en-zh.*"))  # nothing was extracted
    more = members | {"d.en": "x\n", "d.zh_CN": "某\n"}
    with pytest.raises(DataError, match=r"has several pairs of members .*set source_field and target_field.*d\.en"):
        load(moses(tmp_path / "a.zip", more))
    assert load(tmp_path / "a.zip", source_field="d.en", target_field="d.zh_CN")[0] == [("x", "某")]
    with pytest.raises(DataError, match=r"c\.en-zh\.en has 2 lines, but .*c\.en-zh\.zh has 3.*Look at line|suspicious"):
        load(moses(tmp_path / "a.zip", members | {"../up/c.en-zh.zh": "一\n二\n三\n"}))
    with pytest.raises(DataError, match="has no two members that end in"):
        load(moses(tmp_path / "a.zip", {"a.en": "x"}))


def test_an_archive_that_grows_without_measure(tmp_path, monkeypatch):
    monkeypatch.setattr("nmt.data.streams.BOMB_BYTES", 1 << 20)
    with pytest.raises(DataError, match=r"a\.zip/c\.en grows to more than 200 times its size"):
        load(moses(tmp_path / "a.zip", {"c.en": "0\n" * (2 << 20), "c.zh": "0\n" * (2 << 20)}))


def test_a_damaged_archive(tmp_path):
    path = moses(tmp_path / "a.zip", {"c.en": "One.\n" * 1000, "c.zh": "一\n" * 1000})
    content = bytearray(path.read_bytes())
    content[40] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"a\.zip"):
        load(path)
    path.write_bytes(content[:-30])
    with pytest.raises(DataError, match="not a whole zip archive"):
        load(path)


# --- which format, and the settings -----------------------------------------------------------------------------------


def test_every_format_has_a_reader():
    assert tuple(READERS) == FORMATS


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.txt", "a\tb\n", "tsv"), ("a", "\n{}\n", "jsonl"), ("a.CSV.gz", gzip.compress(b"a,b\n", mtime=0), "csv"),
        ("a", PO, "po"), ("a.tsv", TMX, "tmx"), ("a", "\ufeff" + XLIFF_2, "xliff"), ("a", TMX.encode("utf-16"), "tmx"),
        ("a", WMT, "wmt"), ("a", "<SRCSET>", "sgm"), ("a", b"PAR1", "parquet"), ("a", b"PK\x03\x04", "zip"),
        ("a.tsv", "<b>x</b>\ty\n", "tsv"), ("a.json", "{}", "jsonl"),
    ],
)  # fmt: skip
def test_a_format_is_known_by_content_or_name(write, name, content, kind):
    assert detect(write(name, content)) == kind


@pytest.mark.parametrize(
    ("name", "content"), [("a.txt", "plain text\n"), ("a.tmx", "a\tb\n"), ("a", ""), ("a.xml", "<html/>")]
)
def test_a_format_that_nothing_tells(write, name, content):
    with pytest.raises(DataError, match=r"can not tell its format.*set format to one of tsv"):
        detect(write(name, content))


def test_languages():
    assert speaks("zh", "zh")
    assert speaks("zh_CN", "zh")
    assert speaks("EN-us", "en")
    assert speaks("cmn-Hans", "zh")
    assert not speaks("zh", "zh-CN")
    assert not speaks(None, "en")
    assert not speaks("enm", "en")


def test_the_settings_reach_the_reader(write):
    path = write("a.tsv", "一\tOne\n\ufeff\tx\n".encode("gb18030"))
    config = AutoConfig(
        name="x", source_language="zh", target_language="en", encoding="gb18030", train=AutoFile(path=str(path))
    )
    part = parts(config)["train"]
    assert part.files == (path,)
    assert next(part.read(LineCounts())) == Pair("One", "一", 1)
    with pytest.raises(ConfigError, match=r"data\.train\.path is not given"):
        parts(AutoConfig(name="x"))
    with pytest.raises(ConfigError, match="format is 'doc', but it must be one of: auto, tsv"):
        AutoFile(format="doc")
    with pytest.raises(ConfigError, match=r"data\.on_error is 'ignore'"):
        AutoConfig(name="x", on_error="ignore")


def test_what_is_not_installed_is_named(write, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "lxml", None)
    monkeypatch.setitem(__import__("sys").modules, "polib", None)
    for name, content in (("a.tmx", TMX), ("a.po", PO)):
        with pytest.raises(DataError, match=r"needs an extra that is not installed.*pip install 'nmt\[formats\]'"):
            load(write(name, content))


# --- Hugging Face -----------------------------------------------------------------------------------------------------


def test_a_data_set_in_a_local_folder(write, tmp_path):
    folder = tmp_path / "set"
    folder.mkdir()
    (folder / "train.jsonl").write_text('{"translation": {"en": "One.", "zh": "一。"}}\n' * 3, encoding="utf-8")

    def load_set(**settings) -> list[Pair]:
        part = parts(HuggingFaceConfig(name="x", train=HuggingFaceSet(**settings)))["train"]
        assert [file.name for file in part.files] == ["train.jsonl"]
        return list(part.read(LineCounts()))

    assert load_set(path=str(folder)) == [Pair("One.", "一。", n) for n in (1, 2, 3)]
    assert len(load_set(path=str(folder / "train.jsonl"))) == 3
    with pytest.raises(DataError, match=r"`datasets` can not read this data set \(split other\)"):
        load_set(path=str(folder), split="other")
