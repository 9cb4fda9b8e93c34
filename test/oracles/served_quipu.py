"""A Quipu of its own for a program that calls one: the bundle, in a new home, on a free port."""

import contextlib
import json
import os
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).parent.parent.parent


@contextlib.contextmanager
def served_quipu():
    """Yields its URL and the API key of its first user."""
    with tempfile.TemporaryDirectory() as home:
        environment = {
            **os.environ,
            "QUIPU_HOME": home,
            "PORT": "0",
            "HOST": "127.0.0.1",
            "QUIPU_CATALOG": str(ROOT / "catalog.yaml"),
        }
        node = ROOT / "node_modules/node/bin/node"
        program = [str(node), str(ROOT / "bundle/apps/processes/standalone.main.js")]
        server = subprocess.Popen(program, env=environment, stdout=subprocess.PIPE, text=True)
        try:
            for line in server.stdout:
                found = re.search(r"http://127\.0\.0\.1:\d+", line)
                if found:
                    break
            else:
                raise SystemExit("Quipu did not start")
            bootstrap = json.loads((pathlib.Path(home) / "bootstrap.json").read_text())
            yield found.group(), bootstrap["api_key"]
        finally:
            server.terminate()
            server.wait()
