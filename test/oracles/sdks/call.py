"""Calls a Quipu with the Python SDKs of OpenAI and Anthropic, and checks the answers and the bill.

    npm run oracles -- sdks
"""

import json
import pathlib
import sys
import urllib.request

import anthropic
import openai

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from served_quipu import served_quipu  # noqa: E402

MODEL = "quipu/nano"
PROMPT = [{"role": "user", "content": "Tell me of knots."}]
TOKENS = 16


def check(what, holds, found=None):
    if not holds:
        sys.exit(f"{what}: {found}")
    print(what)


def balance(url, key):
    asked = urllib.request.Request(
        f"{url}/api/v1/billing/overview.php", headers={"authorization": f"Bearer {key}"}
    )
    return json.loads(urllib.request.urlopen(asked).read())["balance_usd"]


def call_openai(url, key):
    client = openai.OpenAI(base_url=f"{url}/v1", api_key=key)
    check("models.list", MODEL in [model.id for model in client.models.list()])
    before = balance(url, key)
    asked = dict(model=MODEL, messages=PROMPT, max_tokens=TOKENS, temperature=0)
    whole = client.chat.completions.create(**asked)
    usage = whole.usage
    check("chat.completions", 0 < usage.completion_tokens <= TOKENS, usage)
    check("usage sums", usage.total_tokens == usage.prompt_tokens + usage.completion_tokens, usage)
    check("the balance falls", balance(url, key) < before)
    parts = list(
        client.chat.completions.create(**asked, stream=True, stream_options={"include_usage": True})
    )
    text = "".join(part.choices[0].delta.content or "" for part in parts if part.choices)
    check("a stream says the same", text == whole.choices[0].message.content, text)
    check("a stream ends with its usage", parts[-1].usage.total_tokens == usage.total_tokens)
    response = client.responses.create(model=MODEL, input="Tell me of knots.", max_output_tokens=TOKENS)
    check("responses", response.usage.output_tokens <= TOKENS, response.usage)
    vector = client.embeddings.create(model="quipu-embed-768", input="knots").data[0].embedding
    check("embeddings", len(vector) == 768, len(vector))
    try:
        client.chat.completions.create(model="acme/none", messages=PROMPT)
    except openai.NotFoundError as error:
        check("an unknown model is NotFoundError", error.code == "model_not_found", error.code)
    else:
        check("an unknown model is NotFoundError", False)


def call_anthropic(url, key):
    client = anthropic.Anthropic(base_url=url, api_key=key)
    # The SDK no longer has the field, which the interface still has.
    asked = dict(model=MODEL, messages=PROMPT, max_tokens=TOKENS, extra_body={"temperature": 0})
    whole = client.messages.create(**asked)
    check("messages", 0 < whole.usage.output_tokens <= TOKENS, whole.usage)
    with client.messages.stream(**asked) as stream:
        text = "".join(stream.text_stream)
    check("a stream of a message says the same", text == whole.content[0].text, text)
    counted = client.messages.count_tokens(model=MODEL, messages=PROMPT)
    check("count_tokens is what was charged", counted.input_tokens == whole.usage.input_tokens, counted)
    try:
        client.messages.create(**{**asked, "model": "acme/none"})
    except anthropic.NotFoundError:
        print("an unknown model is NotFoundError")
    else:
        check("an unknown model is NotFoundError", False)


with served_quipu() as (url, key):
    call_openai(url, key)
    call_anthropic(url, key)
