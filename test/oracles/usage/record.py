"""Prints what genai-prices reads from the answers in cases.json.

    npm run oracles -- usage
"""

import json
import pathlib
from dataclasses import asdict
from importlib.metadata import version

from genai_prices import extract_usage

cases = json.loads((pathlib.Path(__file__).parent / "cases.json").read_text())


def read(case):
    usage = extract_usage(
        case["response"], provider_id=case["provider"], api_flavor=case["flavor"]
    ).usage
    fields = asdict(usage) if hasattr(usage, "__dataclass_fields__") else vars(usage)
    return {name: value for name, value in fields.items() if isinstance(value, int)}


print(
    json.dumps(
        {
            "genai_prices": version("genai-prices"),
            "usages": {case["name"]: read(case) for case in cases},
        },
        indent=1,
    )
)
