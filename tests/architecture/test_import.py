"""What `import bytepair` costs and touches."""

import subprocess
import sys

HEAVY = ["typer", "click", "rich", "tokenizers", "tiktoken", "matplotlib", "ray", "pyarrow"]

TRAIN_SAVE_LOAD_OFFLINE = """
import sys

def refuse(event, args):
    if event.startswith("socket."):
        raise RuntimeError(f"the network was touched: {event} {args}")

sys.addaudithook(refuse)
import bytepair

tokenizer = bytepair.train(["low lower lowest"] * 3, vocab_size=260)
tokenizer.save("tokenizer")
print(bytepair.load("tokenizer").encode("lowest") == tokenizer.encode("lowest"))
"""


def _python(code: str, folder: object) -> str:
    process = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stderr
    return process.stdout.strip()


def test_import_leaves_heavy_packages_alone(tmp_path):
    """A program that only encodes must not pay for the command line, peers or plots."""
    code = f"import sys, bytepair; print(sorted(set({HEAVY!r}) & set(sys.modules)))"
    assert _python(code, tmp_path) == "[]"


def test_nothing_touches_the_network(tmp_path):
    """Training, saving and loading must work on a machine that has no network at all."""
    assert _python(TRAIN_SAVE_LOAD_OFFLINE, tmp_path) == "True"
