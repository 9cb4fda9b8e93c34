"""Logits and greedy text of the shipped models, by `transformers` from their GGUF files."""

import hashlib
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

MODELS = Path(__file__).parents[3] / "models"

SHIPPED = (("nano", None), ("mini", "mini-draft"), ("mini-draft", None))
"""Names of files, each with the model that assists it."""

QUESTIONS = (
    "What is Quipu?",
    "How do I verify a webhook?",
    "what happens if I send the same Idempotency-Key twice",
    "What is the capital of Portugal?",
    "Größe: 10 € – 你好?",
)
CONTINUATION_TOKENS = 32
TOP_LOGITS = 4
ASSISTED_TOKENS = (1, 3, 5)


def load(name: str):
    model = AutoModelForCausalLM.from_pretrained(
        MODELS, gguf_file=f"{name}.gguf", dtype=torch.float32, attn_implementation="eager"
    )
    return model.eval()


def rendered(question: str) -> str:
    return f"<|im_start|>user\n{question}<|im_end|>\n<|im_start|>assistant\n"


def continued(model, ids: list[int], end: int, **options) -> list[int]:
    """Greedy text behind `ids`, without the end-of-turn token."""
    given = torch.tensor([ids])
    made = model.generate(
        given,
        attention_mask=torch.ones_like(given),
        max_new_tokens=CONTINUATION_TOKENS,
        do_sample=False,
        eos_token_id=end,
        pad_token_id=end,
        **options,
    )[0, len(ids) :].tolist()
    return made[:-1] if made[-1:] == [end] else made


def assisted(model, assistant, ids: list[int], end: int) -> dict[str, list[int]]:
    """Greedy text when `assistant` proposes this many tokens at a time, by that number."""
    texts = {}
    for tokens in ASSISTED_TOKENS:
        assistant.generation_config.num_assistant_tokens = tokens
        assistant.generation_config.num_assistant_tokens_schedule = "constant"
        assistant.generation_config.assistant_confidence_threshold = 0.0
        texts[str(tokens)] = continued(model, ids, end, assistant_model=assistant)
    return texts


@torch.no_grad()
def record(name: str, draft: str | None) -> dict:
    model, assistant = load(name), load(draft) if draft else None
    tokenizer = AutoTokenizer.from_pretrained(MODELS, gguf_file=f"{name}.gguf")
    end = tokenizer.convert_tokens_to_ids("<|im_end|>")
    prompts = []
    for question in QUESTIONS:
        text = rendered(question)
        ids = tokenizer(text, add_special_tokens=False)["input_ids"]
        logits = model(torch.tensor([ids])).logits[0]
        prompts.append(
            {
                "text": text,
                "ids": ids,
                "lastLogits": logits[-1].tolist(),
                "topLogits": [
                    list(zip(top.indices.tolist(), top.values.tolist()))
                    for top in (row.topk(TOP_LOGITS) for row in logits)
                ],
                "greedy": continued(model, ids, end),
                "assisted": assisted(model, assistant, ids, end) if assistant else None,
            }
        )
    file = MODELS / f"{name}.gguf"
    sha256 = hashlib.sha256(file.read_bytes()).hexdigest()
    return {"file": file.name, "sha256": sha256, "draft": draft, "prompts": prompts}
