"""Records searches of faiss: `npm run oracles -- vectors`.

The vectors are made as `clusteredVectors` in test/bench makes them.
"""

import json
import pathlib

import faiss
import numpy as np

LINKS, EF_CONSTRUCTION, EF = 16, 128, 64
TOP = 10


def numbers(seed):
    state = seed & 0xFFFFFFFF
    while True:
        state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
        yield (state >> 8) / 2**24


def unit(vector):
    length = np.float64(0)
    for value in vector:
        length += np.float64(value) * np.float64(value)
    return (vector.astype(np.float64) / np.sqrt(length)).astype(np.float32)


def clustered(count, dimensions, seed, clusters=50):
    draws = numbers(seed)
    draw = lambda: np.array([next(draws) - 0.5 for _ in range(dimensions)], dtype=np.float32)
    centres = [unit(draw()) for _ in range(clusters)]
    spread = 2 / np.sqrt(dimensions)
    vectors = []
    for _ in range(count):
        centre = centres[int(next(draws) * clusters)].astype(np.float64)
        moved = [value + (next(draws) - 0.5) * spread for value in centre]
        vectors.append(unit(np.array(moved).astype(np.float32)))
    return np.stack(vectors)


def recorded(rows, dimensions, queries):
    base = clustered(rows, dimensions, 1)
    asked = clustered(queries, dimensions, 2)
    flat = faiss.IndexFlatIP(dimensions)
    flat.add(base)
    scores, ids = flat.search(asked, TOP)
    graph = faiss.IndexHNSWFlat(dimensions, LINKS, faiss.METRIC_INNER_PRODUCT)
    graph.hnsw.efConstruction = EF_CONSTRUCTION
    graph.add(base)
    graph.hnsw.efSearch = EF
    _, near = graph.search(asked, TOP)
    hits = sum(len(set(one) & set(other)) for one, other in zip(ids, near))
    return {
        "rows": rows,
        "dimensions": dimensions,
        "queries": queries,
        "ids": ids.tolist(),
        "scores": [[round(float(score), 6) for score in row] for row in scores],
        "hnsw": {"links": LINKS, "efConstruction": EF_CONSTRUCTION, "ef": EF,
                 "recall": hits / (queries * TOP)},
    }


faiss.omp_set_num_threads(1)
cases = [recorded(1_500, 32, 40), recorded(2_000, 100, 40)]
out = pathlib.Path(__file__).with_name("vectors.json")
out.write_text(json.dumps({"faiss": faiss.__version__, "cases": cases}) + "\n")
