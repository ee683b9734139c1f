"""The pages in a real browser: they load without an error or a request to the network; maths and graph are
laid out.
"""

import json
import re
import subprocess

import pytest

from dpverify.reporting import write

FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND",
]
PROBE = """
<script>
addEventListener("load", () => {
  const box = q => {
    const e = document.querySelector(q);
    if (!e) return null;
    const r = e.getBoundingClientRect();
    return [r.width, r.height];
  };
  const form = document.getElementById("filter");
  if (form) {
    form.words.value = "SQUARE negative";
    form.dispatchEvent(new Event("input"));
  }
  const rows = [...document.querySelectorAll("[data-verdict]")].filter(row => !row.hidden);
  dispatchEvent(new Event("beforeprint"));
  const out = {shown: rows.map(row => row.dataset.verdict),
    closed: document.querySelectorAll("details:not([open])").length,
    math: box("math"), graph: box("svg.graph"),
    wide: document.documentElement.scrollWidth, view: innerWidth,
    loaded: performance.getEntriesByType("resource").map(r => r.name),
    ink: getComputedStyle(document.body).color, paper: getComputedStyle(document.body).backgroundColor};
  document.title = "PROBE" + JSON.stringify(out);
});
</script>
"""


@pytest.fixture
def look(chromium, document, tmp_path):
    write(document, tmp_path / "report", {})

    def open_(page, width=1200, dark=False):
        source = tmp_path / "report" / page
        probed = tmp_path / "report" / f"probe-{page}"
        text = re.sub(r"<meta http-equiv=[^>]*>", "", source.read_text())  # it would not let the probe run
        probed.write_text(text.replace("</body>", PROBE + "</body>"))
        frame = tmp_path / "frame.html"  # an inner width below the smallest window of the browser
        frame.write_text(
            f'<iframe id="f" src="report/probe-{page}" '
            f'style="width:{width}px;height:900px;border:0"></iframe>'
        )
        command = [
            chromium,
            *FLAGS,
            f"--user-data-dir={tmp_path / 'profile'}",
            "--enable-logging=stderr",
            "--allow-file-access-from-files",
            f"--window-size={max(width, 500)},1000",
            "--virtual-time-budget=4000",
        ]
        if dark:
            command.append("--blink-settings=preferredColorScheme=0")
        target = frame if width < 500 else probed
        if target is frame:
            frame.write_text(
                frame.read_text()
                + "<script>setInterval(() => { const d = document.getElementById('f').contentDocument; "
                "if (d && d.title) document.title = d.title; }, 50)</script>"
            )
        done = subprocess.run(
            [*command, "--dump-dom", target.as_uri()],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        errors = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
        title = re.search(r"PROBE(\{.*?\})</title>", done.stdout)
        assert title, done.stderr[-2000:]
        return json.loads(title.group(1).replace("&quot;", '"')), errors

    return open_


@pytest.mark.parametrize("page", ["index.html", "small.html"])
def test_a_page_loads_without_an_error_or_a_request(look, page):
    seen, errors = look(page)
    assert errors == []
    assert [url for url in seen["loaded"] if not url.startswith(("file:", "data:"))] == []


def test_maths_and_graph_are_laid_out(look):
    seen, _ = look("small.html")
    assert seen["math"][0] > 20
    assert seen["math"][1] > 10
    assert seen["graph"][0] > 100


def test_search_shows_what_was_asked_for_and_print_opens_everything(look):
    seen, _ = look("small.html")
    assert seen["shown"] == ["PROVED"]
    assert seen["closed"] == 0


@pytest.mark.parametrize("page", ["index.html", "claims.html", "small.html"])
def test_a_phone_is_wide_enough(look, page):
    seen, _ = look(page, width=390)
    assert seen["view"] == 390
    assert seen["wide"] <= 390


def test_our_script_passes_the_policy_of_the_page(chromium, document, tmp_path):
    write(document, tmp_path / "report", {})
    page = (tmp_path / "report" / "claims.html").as_uri()
    command = [chromium, *FLAGS, f"--user-data-dir={tmp_path / 'profile'}", "--enable-logging=stderr"]
    done = subprocess.run(
        [*command, "--dump-dom", page], capture_output=True, text=True, timeout=120, check=False
    )
    assert '<span id="shown">7 of 7</span>' in done.stdout
    assert "Content Security Policy" not in done.stderr


def test_dark_is_dark(look):
    light, _ = look("small.html")
    dark, _ = look("small.html", dark=True)

    def brightness(rgb):
        return sum(int(v) for v in re.findall(r"\d+", rgb)[:3])

    assert brightness(light["paper"]) > brightness(light["ink"])
    assert brightness(dark["paper"]) < brightness(dark["ink"])
