"""The built site in a headless Chromium, served from its folder (`make test-site`): box, exercises, accessibility."""

import html
import json
import os
import re
import shutil
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "site"

pytestmark = pytest.mark.skipif(not os.environ.get("NBHELPERS_SITE"), reason="NBHELPERS_SITE=1: the site is built")

RATE = """async (pairs) => {
  const worker = new Worker("_static/worker.js", {type: "module"});
  const ratings = [];
  for (const [number, [source, candidate]] of pairs.entries()) {
    const answer = new Promise((resolve) => {
      worker.onmessage = ({data}) => data.number === number && resolve(data);
    });
    worker.postMessage({number, source, candidate, words: false});
    const {rating, error, milliseconds} = await answer;
    if (error) throw new Error(error);
    ratings.push([rating, milliseconds]);
  }
  worker.terminate();
  return ratings;
}"""

MARKED = """async (pairs) => {
  const worker = new Worker("_static/worker.js", {type: "module"});
  const found = [];
  for (const [number, [source, candidate]] of pairs.entries()) {
    worker.postMessage({number, source, candidate});
    found.push(await new Promise((resolve, reject) => {
      worker.onmessage = ({data}) => data.error ? reject(new Error(data.error)) : data.changes && resolve(data.changes);
    }));
  }
  worker.terminate();
  return found;
}"""


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def address():
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=SITE))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with sync_playwright() as driver:
        with driver.chromium.launch(executable_path=program, args=["--no-sandbox"]) as browser:
            yield browser


def opened(browser, width, own):
    """A page, and the list that takes its errors, and its requests to others than its own address."""
    view, wrong = browser.new_page(viewport={"width": width, "height": 850}), []
    view.on("console", lambda message: message.type == "error" and wrong.append((view.url, message.text)))
    view.on("pageerror", lambda error: wrong.append((view.url, str(error))))
    own = (own, "data:", "blob:")
    view.on("request", lambda request: request.url.startswith(own) or wrong.append((view.url, request.url)))
    return view, wrong


@pytest.fixture
def view(browser, address):
    """A page that fails the test on an error, or on a request to another host."""
    view, wrong = opened(browser, 1280, address)
    view.set_default_timeout(120_000)
    view.goto(f"{address}/index.html")
    yield view
    view.close()
    assert not wrong


def pairs(count):
    """Pairs of the project's own rewordings and tried pairs, every kind in turn."""
    lines = (ROOT / "data/corpus/rewordings-en.jsonl").read_text(encoding="utf-8").splitlines()
    items = [one for one in map(json.loads, lines) if one["use"] == "test"]
    found = [(one["source"], text) for one in items for text in [*one["same"], one["small"], *one["changed"]]]
    return [found[place] for place in np.linspace(0, len(found) - 1, count).astype(int)]


def test_ratings_are_those_of_python(view):
    from nbhelpers.metrics import load

    chosen = pairs(500)
    found = np.array(view.evaluate(RATE, chosen))
    wanted = load("same-meaning")(*zip(*chosen))
    gap, seconds = np.abs(found[:, 0] - wanted), found[:, 1] / 1000
    parts = [f"{len(gap)} pairs", f"mean difference {gap.mean():.3f}", f"98 % below {np.percentile(gap, 98):.3f}"]
    parts += [f"largest {gap.max():.3f}", f"median {np.median(seconds):.2f} s"]
    (ROOT / "build" / "box-differences.txt").write_text("; ".join(parts) + "\n", encoding="utf-8")
    assert gap.mean() < 0.1 and gap.max() < 0.5 and np.median(seconds) < 1


def test_letters_words_and_places_are_those_of_python(view):
    from nbhelpers.metrics import load
    from nbhelpers.metrics.changes import differences

    chosen = [*pairs(100), ("I can't see Dr. Lind's 1,000 boats.", "I cannot see 1000 boats … of Dr Lind!")]
    found = view.evaluate(
        """async (pairs) => {
          const {tokenF1, chrF, differences} = await import("./_static/text.js");
          const {token, small} = await (await fetch("_static/box/settings.json")).json();
          const pattern = new RegExp(token, "gisu"), words = new Set(small);
          return pairs.map((pair) => [tokenF1(...pair, pattern), chrF(...pair), differences(...pair, pattern, words)]);
        }""",
        chosen,
    )
    for name, values in zip(("token-f1", "chrf"), list(zip(*found))[:2]):
        metric = load(name)
        np.testing.assert_allclose(values, metric.ratings(metric(*zip(*chosen))), atol=1e-9)
    for pair, (_, _, places) in zip(chosen, found):
        assert places == [[*one.source, *one.candidate] for one in differences(*pair)], pair


def test_the_most_harmful_place_comes_first_as_in_python(view):
    from nbhelpers.metrics import check_all
    from nbhelpers.metrics.changes import differences

    chosen = [pair for pair in pairs(150) if 2 <= len(differences(*pair)) <= 3][:8]
    found = view.evaluate(MARKED, chosen)
    assert len(found) == 8
    for pair, places, verdict in zip(chosen, found, check_all(*zip(*chosen))):
        assert [place[:4] for place in places] == [[*one.source, *one.candidate] for one in verdict.changes], pair
        np.testing.assert_allclose([place[4] for place in places], [one.cost for one in verdict.changes], atol=1)


def test_the_box_rates_what_somebody_writes(view):
    fields = view.locator("#box textarea")
    view.locator("#box button", has_text="Negation").click()
    assert view.locator("#box mark").last.inner_text() == "not"
    fields.nth(0).fill("The ferry sails at noon.")
    fields.nth(1).fill("The ferry sails at nine.")
    view.wait_for_function("document.querySelector('#box li')?.textContent.startsWith('noon → nine, costs ')")
    assert view.locator("#box mark").all_inner_texts() == ["noon", "nine"]
    assert view.locator("#box progress:visible").count() == 0
    fields.nth(1).fill("word " * 300)
    view.wait_for_function("document.querySelector('#box [role=status]').textContent.includes('the model takes 256')")


@pytest.mark.parametrize("width", [390, 1400])
def test_every_page_fits_and_has_no_error(browser, width):
    found = sorted(path for path in SITE.rglob("*.html") if "_downloads" not in path.parts)
    assert found, "make site builds it"
    view, wrong = opened(browser, width, "file:")
    for path in found:
        view.goto(path.as_uri())
        if view.evaluate("document.documentElement.scrollWidth > window.innerWidth"):
            wrong.append((view.url, "is wider than the window"))
        if view.evaluate("[...document.images].some(image => !image.alt)"):
            wrong.append((view.url, "has an image without a text"))
    view.close()
    assert not wrong


def test_every_link_leads_somewhere():
    pages, targets, broken = {}, {}, []
    for path in SITE.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        pages[path] = re.findall(r'<a [^>]*?href="([^"]+)"', text)
        targets[path] = set(re.findall(r' id="([^"]+)"', text))
    for path, links in pages.items():
        for link in map(html.unescape, links):
            file, _, anchor = link.partition("#")
            if re.match(r"[a-z]+:", link):
                continue
            goal = (path.parent / unquote(file)).resolve() if file else path
            if not goal.is_file() or (anchor and goal.suffix == ".html" and unquote(anchor) not in targets[goal]):
                broken.append(f"{path.relative_to(SITE)}: {link}")
    assert pages and not broken


def test_choices_grade_themselves(view, address):
    view.goto(f"{address}/notebooks/00_start_here.html")
    exercise = view.locator(".exercise").first
    exercise.locator("button", has_text="a").first.click()
    assert exercise.locator("[role=status]").inner_text().startswith("No. ")
    exercise.get_by_label("Answer b").click()
    assert exercise.locator("[role=status]").inner_text().startswith("Yes. ")
    exercise.get_by_label("Hint").click()
    assert exercise.locator("[role=status]").inner_text().startswith("Hint 1 of 2: ")
    assert view.locator(".exercise").count() == 4


def test_functions_are_tried_in_the_page(view, address):
    view.goto(f"{address}/notebooks/00_start_here.html")
    asked = []
    view.on("request", lambda request: asked.append(request.url))
    field, button = view.get_by_label("Your function for 00_mean"), view.get_by_label("Check 00_mean")
    said = view.locator(".exercise").last.locator("[role=status]")

    def answered(source, *words):
        field.fill(source)
        button.click()
        for word in words:
            view.wait_for_function(
                "([node, word]) => node.textContent.includes(word)", arg=[said.element_handle(), word]
            )

    assert field.input_value() == "def mean(values): ..." and not any("python" in url for url in asked)
    answered("def mean(values):\n    return values[0]", "mean([2.0, 4.0]) gives 2, expected 3")
    assert button.get_attribute("class") == "wrong"
    answered("def mean(values) return 0", "Python cannot read line 1")
    answered("def mean(values):\n    while True: pass", "It did not end within 10 seconds.")
    answered("def mean(values):\n    return sum(values) / len(values)", "Correct on 4 cases.")
    assert button.get_attribute("class") == "right" and any("pyodide.asm.wasm" in url for url in asked)


def test_hovering_over_a_number_of_the_gallery_says_its_interval(view, address):
    view.goto(f"{address}/gallery.html")
    strip = view.locator("svg.strip").first
    strip.scroll_into_view_if_needed()
    strip.hover()
    over = "[...document.querySelectorAll(':hover')].at(-1).closest('svg.strip').querySelector('title').textContent"
    assert " Here " in view.evaluate(over) and "The paper: " in view.evaluate(over)
    marks = view.locator("svg.marks circle")
    drawn = {one.split(" ")[0] for one in view.locator(".sd-card:has(svg.marks) .sd-card-title").all_inner_texts()}
    assert drawn >= {f"{number:02}" for number in range(1, 14)} - {"10"} and marks.count() > 400
    marks.first.scroll_into_view_if_needed()
    marks.first.hover()
    assert ", n = " in view.evaluate("[...document.querySelectorAll(':hover')].at(-1).textContent")
    aside = """[...document.querySelectorAll('.drawn')].map((one) => {
      const [picture, over] = ['img', 'svg'].map((part) => one.querySelector(part)?.getBoundingClientRect());
      return over ? Math.max(Math.abs(picture.height - over.height), Math.abs(picture.width - over.width)) : 0;
    })"""
    assert max(view.evaluate(aside)) < 2


@pytest.mark.parametrize("page", ["index", "claims", "gallery", "notebooks/00_start_here"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_can_be_read_by_everybody(view, address, page, scheme):
    view.emulate_media(color_scheme=scheme)
    view.goto(f"{address}/{page}.html")
    view.add_script_tag(path=ROOT / "build" / "axe-core" / "axe.min.js")
    found = view.evaluate("axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa']})")["violations"]
    assert not [(one["id"], one["nodes"][0]["html"][:150], len(one["nodes"])) for one in found]


def test_the_leaderboard_and_the_claims_filter(view, address):
    view.goto(f"{address}/leaderboard.html")
    view.get_by_label("Ability").select_option("Negation, antonyms")
    values = view.locator("table.board tbody tr").evaluate_all(
        "rows => rows.map((row) => [...row.cells].filter((cell) => !cell.hidden).at(-1).dataset.value).filter(Boolean)"
    )
    values = [float(value) for value in values]
    assert len(values) > 20 and values == sorted(values, reverse=True)
    view.get_by_label("Ability").select_option("Same in other words")
    last = view.locator("table.board td.seen:not([hidden]) span:visible")
    assert last.count() and last.first.inner_text()
    view.get_by_label("Hide values").check()
    assert (
        last.count() == 0 and view.locator("table.board tbody tr").first.locator("td.seen:not([hidden])").count() == 0
    )
    view.get_by_label("Pairs a second, at least").select_option("1000")
    assert 0 < view.locator("table.board tbody tr:visible").count() < len(values)
    view.goto(f"{address}/claims.html")
    view.get_by_label("Verdict").select_option("contradicted")
    shown = view.locator("table.claims tbody tr:visible .verdict").all_inner_texts()
    assert set(shown) == {"contradicted"}
    assert view.locator(".filters [role=status]").inner_text().startswith(f"{len(shown)} of ")
    first = view.locator("table.claims tbody tr:visible").first
    first.locator("summary").click()
    assert first.locator("img").evaluate("image => image.decode().then(() => image.naturalWidth)") > 300
    assert "def meaningbert_1()" in first.locator("pre").inner_text() and first.locator("a.download").count() == 2
    view.get_by_label("Verdict").select_option("")
    view.locator(".filters select").first.select_option(index=1)  # of papers
    shown = view.locator("table.claims tbody tr:visible .claim").all_inner_texts()
    assert shown and {one.split("-")[0] for one in shown} == {"ndd"}


@pytest.mark.parametrize("page", ["index", "leaderboard"])
def test_the_keyboard_reaches_every_control(view, address, page):
    view.goto(f"{address}/{page}.html")
    controls = "article :is(button, select, input, textarea)"
    wanted = view.locator(f"{controls}:visible").count()
    reached = set()
    for _ in range(250):
        view.keyboard.press("Tab")
        reached.add(view.evaluate(f"[...document.querySelectorAll('{controls}')].indexOf(document.activeElement)"))
        if len(reached - {-1}) == wanted:
            break
    assert len(reached - {-1}) == wanted > 3


def test_the_first_view_is_small(view, address):
    bytes_read = []
    view.goto("about:blank")  # what the fixture's page still loads is not counted
    view.on("response", lambda answer: bytes_read.append(int(answer.headers.get("content-length", 0))))
    view.goto(f"{address}/index.html", wait_until="networkidle")
    assert 50_000 < sum(bytes_read) < 300_000  # without compression


def test_a_shared_link_has_a_picture(view):
    picture = view.locator("meta[property='og:image']").get_attribute("content")
    assert picture.endswith("_static/preview.png") and (SITE / "_static" / "preview.png").is_file()
