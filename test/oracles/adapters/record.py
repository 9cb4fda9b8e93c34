"""Records what `transformers` and `peft` compute from nano and shipped adapters.

    python test/oracles/adapters/record.py   (with requirements.txt, from the repository's folder)
"""

import json
import pathlib
import tempfile

import numpy
import peft
import torch
import transformers
from gguf import GGUFReader

SLUGS = ["french", "pirate", "topic", "uppercase"]
MODELS = pathlib.Path("models")
DIGITS = 6

torch.set_num_threads(1)
manifest = json.loads((MODELS / "adapters" / "manifest.json").read_text())
shape = json.loads((MODELS / "nano.json").read_text())["shape"]
prompts = json.loads((MODELS / "nano.reference.json").read_text())["prompts"][1:4]


def turned_back(values, heads):
    """llama.cpp rotates neighbours, Hugging Face the halves of a head."""
    rows, columns = values.shape
    return values.reshape(heads, rows // heads // 2, 2, columns).swapaxes(1, 2).reshape(rows, columns)


def base_model():
    config = transformers.LlamaConfig(
        vocab_size=shape["vocabulary"],
        hidden_size=shape["width"],
        intermediate_size=shape["feedForwardWidth"],
        num_hidden_layers=shape["layers"],
        num_attention_heads=shape["heads"],
        max_position_embeddings=shape["contextLength"],
        rms_norm_eps=shape["normEpsilon"],
        rope_theta=shape["ropeBase"],
        tie_word_embeddings=True,
    )
    model = transformers.LlamaForCausalLM(config).eval()
    names = {"attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj",
             "attn_output": "self_attn.o_proj", "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj",
             "ffn_down": "mlp.down_proj", "attn_norm": "input_layernorm",
             "ffn_norm": "post_attention_layernorm"}
    weights = {}
    for tensor in GGUFReader(MODELS / "nano.gguf").tensors:
        values = numpy.array(tensor.data, dtype=numpy.float32)
        if tensor.name == "token_embd.weight":
            weights["model.embed_tokens.weight"] = values
        elif tensor.name == "output_norm.weight":
            weights["model.norm.weight"] = values
        else:
            _, layer, role, _ = tensor.name.split(".")
            if role in ("attn_q", "attn_k"):
                values = turned_back(values, shape["heads"])
            weights[f"model.layers.{layer}.{names[role]}.weight"] = values
    state = {name: torch.from_numpy(values.copy()) for name, values in weights.items()}
    missing, unexpected = model.load_state_dict(state, strict=False)
    assert missing == ["lm_head.weight"] and not unexpected, (missing, unexpected)
    model.tie_weights()
    return model


def adapted(slug, folder):
    card = next(card for card in manifest["adapters"] if card["slug"] == slug)
    weights = (MODELS / "adapters" / card["file"]).read_bytes()
    (folder / "adapter_model.safetensors").write_bytes(weights)
    peft.LoraConfig(
        r=manifest["rank"], lora_alpha=manifest["alpha"], target_modules=manifest["targets"],
        task_type="CAUSAL_LM", inference_mode=True,
    ).save_pretrained(folder)
    return peft.PeftModel.from_pretrained(base_model(), folder).eval()


@torch.no_grad()
def logits(model, ids):
    return model(torch.tensor([ids])).logits[0, -1].double()


recorded = []
for slug in SLUGS:
    with tempfile.TemporaryDirectory() as name:
        model = adapted(slug, pathlib.Path(name))
        apart = [logits(model, prompt["ids"]) for prompt in prompts]
        merged = model.merge_and_unload()
        together = [logits(merged, prompt["ids"]) for prompt in prompts]
        difference = max((one - other).abs().max().item() for one, other in zip(apart, together))
        recorded.append({
            "slug": slug,
            "sha256": next(card["sha256"] for card in manifest["adapters"] if card["slug"] == slug),
            "mergedDifference": difference,
            "prompts": [
                {"ids": prompt["ids"], "logits": [round(value, DIGITS) for value in one.tolist()]}
                for prompt, one in zip(prompts, apart)
            ],
        })
        print(slug, difference)

versions = {"peft": peft.__version__, "transformers": transformers.__version__, "torch": torch.__version__}
vectors = {"versions": versions, "baseSha256": manifest["baseSha256"], "adapters": recorded}
pathlib.Path("test/oracles/adapters/vectors.json").write_text(json.dumps(vectors) + "\n")
