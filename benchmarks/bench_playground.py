"""How soon the playground is painted, and how soon a key is, with much text in it.

In a browser without a window: key presses are real ones, sent through its debugging protocol. A
key counts from the time the browser stamped it to the first task after the frame that shows it;
"tokens" to the frame that shows the new tokens.

    python benchmarks/bench_playground.py [--tokenizer NAME=PATH] [--chromium PATH]
"""

import argparse
import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from bytepair.evaluation import parallel_texts

KEYS = 60
_TIMED = """() => {
  window.keys = []; window.fresh = [];
  const area = document.getElementById('text');
  addEventListener('keydown', (event) => {
    const began = event.timeStamp;
    requestAnimationFrame(() => setTimeout(() => keys.push(performance.now() - began)));
  }, true);
}"""
_TOKENS = """async () => {
  const { page } = await import('/tokens.js');
  let began = 0;
  addEventListener('keydown', (event) => { began ||= event.timeStamp; }, true);
  page.on('tokens', () => {
    const since = began;
    began = 0;
    if (since) requestAnimationFrame(() => setTimeout(() => fresh.push(performance.now() - since)));
  });
}"""


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokenizer", default=None, help="NAME=PATH; none: the demo's")
    parser.add_argument("--chromium", default=shutil.which("chromium"), help="its path")
    options = parser.parse_args()
    if options.chromium is None:
        print("bench_playground: no chromium here; on Debian `apt-get install chromium`.")
        return
    with served(options.tokenizer) as address, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=options.chromium, args=["--no-sandbox"])
        paints = [first_paint(browser.new_page(), address) for _ in range(7)]
        print(f"first paint: {statistics.median(paints):.0f} ms, at most {max(paints):.0f} ms")
        for name, size in (("1 KB", 1000), ("100 KB", 100_000), ("1 MB", 1_000_000)):
            for kind in ("lines", "one line", "scripts"):
                page = browser.new_page(viewport={"width": 1360, "height": 820})
                keys, fresh = typed(page, address, sample(size, kind))
                print(
                    f"{name:>7}, {kind:8}: key {statistics.median(keys):.0f} ms "
                    f"(p95 {centile(keys):.0f}), tokens {statistics.median(fresh):.0f} ms "
                    f"(p95 {centile(fresh):.0f})"
                )
                page.close()
        browser.close()


def first_paint(page: Page, address: str) -> float:
    """Milliseconds from the navigation's start to the first text on the screen, nothing cached."""
    page.goto(address)
    page.wait_for_selector("html[data-ready]")
    page.wait_for_function("performance.getEntriesByName('first-contentful-paint').length")
    paint: float = page.evaluate(
        "performance.getEntriesByName('first-contentful-paint')[0].startTime"
    )
    page.close()
    return paint


def typed(page: Page, address: str, text: str) -> tuple[list[float], list[float]]:
    """Times of keys typed into the middle of a text."""
    page.goto(address)
    page.wait_for_selector("html[data-ready]")
    page.evaluate("async (text) => (await import('/tokens.js')).page.setText(text)", text)
    page.wait_for_timeout(2500)
    page.evaluate(_TIMED)
    page.evaluate(_TOKENS)
    page.evaluate(
        "(at) => { const area = document.getElementById('text'); area.focus();"
        " area.setSelectionRange(at, at); }",
        len(text) // 2,
    )
    for number in range(KEYS):
        page.keyboard.press("abcde "[number % 6])
        page.wait_for_timeout(120)
    page.wait_for_timeout(1500)
    return page.evaluate("keys"), page.evaluate("fresh")


def sample(size: int, kind: str) -> str:
    """English of a size, in lines or without any; or one line of many scripts."""
    if kind == "scripts":
        sentences = " ".join(" ".join(text.sentences) for text in parallel_texts()) + " "
        return (sentences * (size // len(sentences) + 1))[:size]
    source = "\n".join(
        path.read_text(encoding="utf-8", errors="replace")
        for path in sorted(Path(statistics.__file__).parent.glob("*.py"))[:60]
    )
    text = (source * (size // len(source) + 1))[:size]
    return text if kind == "lines" else text.replace("\n", " ")


def centile(times: list[float]) -> float:
    """The 95th."""
    return sorted(times)[int(len(times) * 0.95)]


@contextmanager
def served(tokenizer: str | None) -> Iterator[str]:
    """A service of its own; gives its address."""
    command = [sys.executable, "-m", "bytepair", "serve", "--port", "0", "--log", "errors"]
    command += ["--tokenizer", tokenizer] if tokenizer else []
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        for line in process.stdout or ():
            if '"listening"' in line:
                yield line.partition('"url":"')[2].partition('"')[0]
                break
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    main()
