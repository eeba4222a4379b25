"""The post-processors of a `tokenizer.json`: what surrounds a text, and how offsets read."""

from dataclasses import replace

import pytest

from bytepair import formats
from bytepair.errors import BytepairWarning, ExportError, FormatError
from bytepair.model import AddedToken, PostProcessor, TemplatePiece

A, B = TemplatePiece("A"), TemplatePiece("B")
BEGIN, END = TemplatePiece(ids=(259,)), TemplatePiece(ids=(256,))


def byte_level(**members):
    """A ByteLevel post-processor; it trims unless told otherwise."""
    defaults = {"add_prefix_space": True, "trim_offsets": True, "use_regex": True}
    return {"type": "ByteLevel", **defaults, **members}


def template(single, pair, **ids):
    """A TemplateProcessing of pieces like "A", "B" and the names of special tokens."""

    def piece(name, type_id=0):
        kind = "Sequence" if name in {"A", "B"} else "SpecialToken"
        return {kind: {"id": name, "type_id": type_id}}

    special = {name: {"id": name, "ids": [i], "tokens": [name]} for name, i in ids.items()}
    parts = ([piece(*name) if isinstance(name, tuple) else piece(name) for name in names]
             for names in (single, pair))  # fmt: skip
    single, pair = parts
    return {"type": "TemplateProcessing", "single": single, "pair": pair, "special_tokens": special}


def sequence(*steps):
    """Post-processors one after the other."""
    return {"type": "Sequence", "processors": list(steps)}


BOTH = {"sep": ["he", 256], "cls": ["<s>", 259]}
KNOWN = {
    "none": (None, PostProcessor()),
    "no-trim": (byte_level(trim_offsets=False), PostProcessor()),
    "trim": (byte_level(), PostProcessor(trim_offsets=True, prefix_space=True)),
    "trim-all": (byte_level(add_prefix_space=False), PostProcessor(trim_offsets=True)),
    "template": (
        template(["<s>", "A"], ["<s>", "A", ("<s>", 1), ("B", 1)], **{"<s>": 259}),
        PostProcessor((BEGIN, A), (BEGIN, A, replace(BEGIN, type_id=1), replace(B, type_id=1))),
    ),
    "both": (
        sequence(byte_level(), template(["A", "he"], ["A", "he", "B"], he=256)),
        PostProcessor((A, END), (A, END, B), trim_offsets=True, prefix_space=True),
    ),
    "bert": (
        {"type": "BertProcessing", **BOTH},
        PostProcessor(
            (BEGIN, A, END),
            (BEGIN, A, END, replace(B, type_id=1), replace(END, type_id=1)),
        ),
    ),
    "roberta": (
        {"type": "RobertaProcessing", **BOTH, "trim_offsets": True, "add_prefix_space": False},
        PostProcessor((BEGIN, A, END), (BEGIN, A, END, END, B, END), trim_offsets=True),
    ),
}


@pytest.mark.parametrize("name", KNOWN)
def test_each_component_is_understood(name, hf_file, read_with, again):
    """Whatever it was, a template and a flag say it, and it is written as these."""
    component, expected = KNOWN[name]
    spec = read_with(hf_file, {"post_processor": component})
    assert spec.post_processor == expected
    assert again(spec) == spec


def test_a_name_may_stand_for_several_tokens(hf_file, read_with, again):
    """Or for none at all: then it is left out."""
    component = template(["x", "y", "A"], ["A", "B"], x=0, y=0)
    component["special_tokens"]["x"] = {"id": "x", "ids": [259, 256], "tokens": ["<s>", "he"]}
    component["special_tokens"]["y"] = {"id": "y", "ids": [], "tokens": []}
    spec = read_with(hf_file, {"post_processor": component})
    assert spec.post_processor.single == (TemplatePiece(ids=(259, 256)), A)
    assert again(spec) == spec


def test_an_id_that_does_not_belong_to_its_name_is_replaced(hf_file, read_with):
    """Files that were pruned or renumbered by hand keep stale ids here; the name is meant."""
    component = template(["<s>", "A"], ["A", "B"], **{"<s>": 999})
    with pytest.warns(BytepairWarning, match=r"'<s>' is 999, but its id is 259"):
        spec = read_with(hf_file, {"post_processor": component})
    assert spec.post_processor.single[0].ids == (259,)


REFUSED = [
    ({"type": "Padding"}, "post_processor.type 'Padding' is not supported (known: Template"),
    (template(["<t>", "A"], ["A", "B"], **{"<t>": 1}), "names the token '<t>', which is in no"),
    (template(["<t>", "A"], ["A", "B"]), "id '<t>' is not among the special_tokens"),
    (template(["B"], ["A", "B"]), "single[0].Sequence.id 'B' is no text (known: A)"),
    (template([], ["A", "B"]), "post_processor.single is empty"),
    ({"type": "TemplateProcessing", "single": [{}]}, "special_tokens is missing"),
    (sequence(byte_level(), byte_level()), "post_processor trims offsets twice"),
    (
        sequence(*[{"type": "BertProcessing", **BOTH}] * 2),
        "post_processor puts tokens around a text twice",
    ),
    ({"type": "BertProcessing", **BOTH, "sep": ["he"]}, "sep must be a token and its id, got 1"),
    ({"type": "BertProcessing", **BOTH, "sep": [256, "he"]}, "sep[0] must be a string, got a"),
    ({"type": "BertProcessing", **BOTH, "sep": ["he", -1]}, "sep[1] is -1, which is no id"),
]


@pytest.mark.parametrize(("component", "message"), REFUSED)
def test_what_is_not_known_is_refused_by_name(component, message, hf_file, read_with):
    """Ids put around a text are as wrong as any other."""
    with pytest.raises(FormatError) as caught:
        read_with(hf_file, {"post_processor": component})
    assert message in str(caught.value)


def test_what_the_file_cannot_name_is_refused(spec, tmp_path):
    """In the file a template names tokens by what they are called."""
    post = PostProcessor(single=(TemplatePiece(ids=(999,)), A))
    with pytest.raises(ExportError, match="names id 999, which is no token"):
        formats.write(replace(spec, post_processor=post), tmp_path)


def test_two_parts_with_one_name_are_refused(spec, tmp_path):
    """The tokens "a" and "b" one after the other, and a token that is called "a b"."""
    parts = TemplatePiece(ids=(97, 98)), TemplatePiece(ids=(300,))
    spec = replace(spec, added_tokens=(AddedToken("a b", 300),))
    with pytest.raises(ExportError, match="would have one name"):
        formats.write(replace(spec, post_processor=PostProcessor((*parts, A))), tmp_path)
