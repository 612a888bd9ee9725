"""The page in a real browser, opened from disk: what a person does is done by a script at its end.

The script leaves its findings in the document, which Chromium prints when it is done (`--dump-dom`).
"""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess

import pytest
from pages import HTML, example

from nmt.view.page import page

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium: on Debian, apt-get install chromium")

ACTIONS = """
const found = {};
const see = (name, value) => { found[name] = value; };
const words = (attribute) => [...document.querySelectorAll(`#text [${attribute}]`)];
const over = (element) => element.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
const press = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
const choose = (id, value) => { at(id).value = value; at(id).onchange({ target: at(id) }); };
const picture = (id) => at(id).innerHTML;

see("title", document.title);
see("source", words("data-column").map((word) => word.textContent));
over(words("data-row")[2]);
see("hovered", document.querySelector("#text .chosen").textContent);
see("summary", at("summary").textContent);
see("stages", [...document.querySelectorAll("#stages tbody tr")].map((row) => row.children[2].textContent));
press("ArrowLeft");
see("after left", document.querySelector("#text .chosen").textContent);
const before = picture("map");
choose("unit", "piece");
see("pieces", words("data-row").map((word) => word.textContent));
see("units change the picture", picture("map") !== before);
choose("kind", "source");
const one = picture("map"), arcsOfOne = picture("flow");
press("]");
see("head", at("head").value);
see("head changes the pictures", picture("map") !== one && picture("flow") !== arcsOfOne);
see("entropies", [...document.querySelectorAll("#entropy button")].map((button) => button.textContent));
press("Escape");
see("let go", document.querySelector("#text .chosen"));
const light = picture("map");
at("theme").click();
see("theme changes the picture", picture("map") !== light);
see("json", JSON.parse(numbers()).queries);
see("svg", drawn("flow").startsWith("<svg"));
png("map").then((blob) => blob.slice(1, 4).text()).then((mark) => {
  see("png", mark);
  see("errors", errors);
  document.body.append(html("pre", { id: "found" }, JSON.stringify(found)));
});
"""
WATCH = """<script>
const errors = [];
addEventListener("error", (event) => errors.push(event.message));
addEventListener("securitypolicyviolation", (event) => errors.push(event.blockedURI));
</script>"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict:
    folder = tmp_path_factory.mktemp("page")
    text = page({"model": HTML, "sentences": [example(HTML)]})
    text = text.replace("<style>", WATCH + "<style>", 1).replace("</body>", f"<script>{ACTIONS}</script></body>")
    (folder / "page.html").write_text(text, encoding="utf-8")
    assert BROWSER is not None
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--enable-logging=stderr"]
    done = subprocess.run(
        [BROWSER, *flags, f"--user-data-dir={folder / 'profile'}", "--virtual-time-budget=5000", "--dump-dom",
         (folder / "page.html").as_uri()],
        capture_output=True, text=True, timeout=300, check=True,
    )  # fmt: skip
    assert "CONSOLE" not in done.stderr, done.stderr
    [written] = re.findall(r'<pre id="found">(.*?)</pre>', done.stdout, re.DOTALL)
    answer: dict = json.loads(html.unescape(written))
    return answer


def test_it_opens_without_an_error_and_fetches_nothing(found: dict) -> None:
    assert found["errors"] == []


def test_a_sentence_with_html_is_text(found: dict) -> None:
    assert found["title"] == "Attention"
    assert "".join(found["source"]) == HTML.replace(" ", "")


def test_pointing_and_the_keyboard_choose_a_word(found: dict) -> None:
    assert (found["hovered"], found["after left"], found["let go"]) == ("用", "的", None)
    assert found["stages"] == ["0.000", "1.000", *["0.000"] * (len(found["stages"]) - 2)]  # the piece 用 is the second


def test_the_choosers_change_the_pictures(found: dict) -> None:
    assert found["pieces"] == ["它的", "用"]
    assert found["units change the picture"]
    assert found["head"] == "1"
    assert found["head changes the pictures"]
    assert found["theme changes the picture"]


def test_entropy_is_in_bits(found: dict) -> None:
    size = len(HTML.split(" ")) + 1
    assert size == 4
    assert found["entropies"] == ["head 1: 0.00", "head 2: 2.00"]


def test_pictures_and_numbers_can_be_saved(found: dict) -> None:
    assert (found["svg"], found["png"]) == (True, "PNG")
    assert len(found["json"]) == 3
