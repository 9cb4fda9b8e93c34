"""Scores latent semantic analysis by scikit-learn on the held-out retrieval tasks.

    npm run build && npm run oracles -- embeddings

The features are scikit-learn's own: words, and character n-grams of 3 to 6 inside words, hashed, with
sub-linear TF-IDF. TruncatedSVD is fitted to the documents, as one would to index them.
"""

import json
import pathlib
import subprocess

import numpy
import sklearn
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer
from sklearn.decomposition import TruncatedSVD
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import normalize

ROOT = pathlib.Path(__file__).parents[3]
OUT = pathlib.Path(__file__).parent / "svd_scores.json"
BUCKETS = 16_384


def model(dimensions):
    hashing = dict(n_features=BUCKETS, norm=None, alternate_sign=False, lowercase=True)
    features = make_union(
        HashingVectorizer(analyzer="word", **hashing),
        HashingVectorizer(analyzer="char_wb", ngram_range=(3, 6), **hashing),
    )
    svd = TruncatedSVD(n_components=dimensions, random_state=0)
    return make_pipeline(features, TfidfTransformer(sublinear_tf=True), svd)


def scores(task, dimensions):
    documents = task["documents"]
    # There are no more dimensions than documents.
    pipeline = model(min(dimensions, len(documents) - 1)).fit(documents)
    found = normalize(pipeline.transform(documents))
    asked = normalize(pipeline.transform(task["queries"]))
    similarity = asked @ found.T
    right = similarity[numpy.arange(len(asked)), task["answers"]]
    ranks = (similarity >= right[:, None]).sum(axis=1)
    return {
        "recallAt1": float((ranks == 1).mean()),
        "mrr": float((1 / ranks).mean()),
        "ndcgAt10": float(numpy.where(ranks <= 10, 1 / numpy.log2(ranks + 1), 0).mean()),
    }


def main():
    command = ["node", "dist/tools/models/embeddings/print-tasks.js"]
    printed = json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)
    recorded = {
        "versions": {"scikit-learn": sklearn.__version__, "numpy": numpy.__version__},
        "tasksSha256": printed["tasksSha256"],
        "scores": {
            str(dimensions): {task["name"]: scores(task, dimensions) for task in printed["tasks"]}
            for dimensions in (768, 1024)
        },
    }
    OUT.write_text(json.dumps(recorded, indent=2) + "\n")


main()
