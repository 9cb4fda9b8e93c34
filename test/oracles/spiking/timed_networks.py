"""
The other side of `npm --prefix test/bench run spiking -- --python PROGRAM`: runs ported networks when told to.

  python timed_networks.py [THREADS]

Reads lines of JSON, `{"network", "batch", "seconds"}`, and answers each with
`{"secondsPerRun", "cpuSecondsPerRun", "logits"}`: the mean over as many runs as the time
allows, after some that are not counted. Inputs are the native ones of `vectors/networks.json`, over and over.
"""

import itertools
import json
import sys
import time
from pathlib import Path

import torch

from networks import NETWORKS, load

VECTORS = Path(__file__).parent / "vectors" / "networks.json"
WARM_UP = 10


def main():
    recorded = json.loads(VECTORS.read_text())["networks"]
    loaded = {}
    for line in sys.stdin:
        task = json.loads(line)
        name = task["network"]
        if name not in loaded:
            loaded[name] = load(next(one for one in NETWORKS if one.name == name)())
        network = loaded[name]
        runs = [run for run in recorded[name]["runs"] if run["head"] == "native"]
        steps = runs[0]["steps"]
        inputs = itertools.islice(itertools.cycle(runs), task["batch"])
        x = network.batch([network.read(run["input"], steps) for run in inputs])
        answer = timed(lambda: network.run(x, "native", steps), task["seconds"])
        print(json.dumps(answer), flush=True)


def timed(run, seconds):
    for _ in range(WARM_UP):
        logits = run()
    count, start, cpu_before = 0, time.perf_counter(), time.process_time()
    while (elapsed := time.perf_counter() - start) < seconds:
        run()
        count += 1
    cpu = time.process_time() - cpu_before
    return {
        "secondsPerRun": elapsed / count,
        "cpuSecondsPerRun": cpu / count,
        "logits": logits.flatten().tolist(),
    }


if __name__ == "__main__":
    if len(sys.argv) > 1:
        torch.set_num_threads(int(sys.argv[1]))
    with torch.inference_mode():
        main()
