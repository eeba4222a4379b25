from dataclasses import replace

import pytest

import bytepair
from bytepair.model import AddedToken, Metaspace, fingerprint


@pytest.fixture(scope="module")
def tok():
    """A small one."""
    return bytepair.train(["low lower lowest"] * 9, vocab_size=262)


@pytest.mark.parametrize("engine", ["native", "python"])
def test_it_is_the_same_once_saved_and_loaded(tok, tmp_path, engine):
    """Under any name and with any engine: what counts is which ids a text gets."""
    tok.save(tmp_path / "other")
    loaded = bytepair.load(tmp_path / "other", engine=engine)
    renamed = replace(loaded.spec, name="renamed", training=None)
    assert fingerprint(renamed) == fingerprint(loaded.spec) == fingerprint(tok.spec)
    assert len(fingerprint(tok.spec)) == 64


def test_whatever_ids_depend_on_changes_it(tok):
    """Each part of a specification in turn."""
    spec = tok.spec
    others = [
        replace(spec, ignore_merges=True),
        replace(spec, added_tokens=(*spec.added_tokens, AddedToken("<x>", 300))),
        replace(spec, added_tokens=(replace(spec.added_tokens[0], lstrip=True),)),
        replace(spec, rules=replace(spec.rules, normalizer=("nfc",))),
        replace(spec, rules=replace(spec.rules, pattern=None, steps=(Metaspace(),))),
        replace(spec, residues={300: (97, 98)}),
        bytepair.train(["low lower lowest"] * 9, vocab_size=261).spec,
        bytepair.train(["low lower longest"] * 9, vocab_size=262).spec,
    ]
    assert len({fingerprint(one) for one in [spec, *others]}) == len(others) + 1
