"""A model that was made smaller, in the hands of the libraries that will use it."""

import pytest

pytest.importorskip("torch", reason="run 'make test-torch', which installs it")
pytest.importorskip("transformers", reason="run 'make test-torch', which installs it")

import torch
import transformers

import bytepair
from bytepair.models import resize_model

pytestmark = pytest.mark.filterwarnings("default")  # theirs, about things that are not ours


def test_a_resized_model_says_what_it_said_of_the_tokens_that_stay(tmp_path):
    """Its rows are those of the ids before, however the model was padded."""
    tok = bytepair.train(["low lower lowest newest"] * 9, vocab_size=280)
    pruned = tok.prune(["low lower newest"], vocab_size=266)
    sizes = {"hidden_size": 8, "intermediate_size": 16, "num_attention_heads": 2}
    config = transformers.LlamaConfig(vocab_size=288, num_hidden_layers=1, **sizes)
    config.eos_token_id, config.bos_token_id, config.pad_token_id = tok.vocab_size - 1, None, None
    large = transformers.LlamaForCausalLM(config).eval()
    large.save_pretrained(tmp_path / "model")
    resize_model(tmp_path / "model", tmp_path / "new", pruned)
    small = transformers.LlamaForCausalLM.from_pretrained(tmp_path / "new").eval()
    ids = torch.tensor([[108, 111, 119]])  # bytes: their ids are as before
    with torch.no_grad():
        before, after = large(ids).logits[..., pruned.kept_ids], small(ids).logits
    assert torch.allclose(after, before)
