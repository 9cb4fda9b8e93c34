"""Renders chats with the templates of `templates/` by `transformers`, and writes vectors/templates.json.

Needs neither a model nor PyTorch. With --check it compares the file with a fresh run.
"""

import json
import sys
from pathlib import Path

import jinja2
import transformers
from transformers.utils.chat_template_utils import render_jinja_template

HERE = Path(__file__).parent
FILE = HERE / "vectors" / "templates.json"

# The control tokens of nano, from whose weights the spec makes its files.
TOKENS = {"bos_token": "<|endoftext|>", "eos_token": "<|im_end|>"}

SYSTEM = {"role": "system", "content": "You keep accounts with knots."}
USER = {"role": "user", "content": "What is a quipu?"}
ASSISTANT = {"role": "assistant", "content": "Cords with knots."}
AGAIN = {"role": "user", "content": "And a {{ knot }}?\n\nIn one word: [/INST] é 結"}

TOOL = {
    "type": "function",
    "function": {
        "name": "count",
        "description": "Counts knots.",
        "parameters": {"type": "object", "properties": {"cord": {"type": "number"}}},
    },
}
CALL = {
    "role": "assistant",
    "content": "",
    "tool_calls": [{"type": "function", "function": {"name": "count", "arguments": {"cord": 3}}}],
}
RESULT = {"role": "tool", "content": '"seven"'}

PLAIN = [[USER], [SYSTEM, USER], [USER, ASSISTANT, AGAIN], [SYSTEM, USER, ASSISTANT, AGAIN]]
TOOLS = [
    [USER],
    [SYSTEM, USER],
    [SYSTEM, USER, ASSISTANT, AGAIN],
    [SYSTEM, USER, CALL, RESULT],
    [SYSTEM, USER, CALL, RESULT, ASSISTANT, AGAIN],
]
CASES = {
    name: [(chat, None) for chat in PLAIN] for name in ("llama-3", "mistral", "gemma", "qwen-3")
}
CASES["qwen-3"] += [(chat, [TOOL]) for chat in TOOLS]


def rendered(template: str, messages: list, tools: list | None) -> str:
    (text,), _ = render_jinja_template(
        conversations=[messages],
        tools=tools,
        chat_template=template,
        add_generation_prompt=True,
        **TOKENS,
    )
    return text


def vectors() -> dict:
    return {
        "programs": {"transformers": transformers.__version__, "jinja2": jinja2.__version__},
        "templates": {
            name: [
                {"messages": chat, "tools": tools, "text": rendered(template, chat, tools)}
                for chat, tools in cases
            ]
            for name, cases in CASES.items()
            for template in [(HERE / "templates" / f"{name}.jinja").read_text().rstrip("\n")]
        },
    }


def main() -> None:
    text = json.dumps(vectors(), indent=1, ensure_ascii=False) + "\n"
    if "--check" not in sys.argv:
        FILE.write_text(text)
    elif FILE.read_text() != text:
        sys.exit(f"{FILE.name} is not what this run gives")


main()
