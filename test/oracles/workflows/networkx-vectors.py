"""Writes graphs with what networkx says of them: order, cycles, ancestors, critical path.

    npm run oracles -- workflows
"""

import json
import random

import networkx as nx

random.seed(20261122)


def drawn(nodes, probability, acyclic):
    names = [f"n{number:02d}" for number in range(nodes)]
    random.shuffle(names)
    edges = [
        (one, other)
        for at, one in enumerate(names)
        for other in (names[at + 1 :] if acyclic else names)
        if one != other and random.random() < probability
    ]
    return names, edges


def described(names, edges):
    graph = nx.DiGraph()
    weights = {name: random.randint(1, 1_000) for name in names}
    graph.add_nodes_from(names)
    # The weight of an edge is that of the node that it leads to.
    graph.add_weighted_edges_from((one, other, weights[other]) for one, other in edges)
    written = sorted(names, key=lambda _: random.random())
    case = {
        "nodes": [{"name": name, "after": sorted(graph.predecessors(name))} for name in written],
        "weights": weights,
        "is_acyclic": nx.is_directed_acyclic_graph(graph),
    }
    if not case["is_acyclic"]:
        return case
    # A source before all nodes gives the first node of a path its weight, too.
    graph.add_weighted_edges_from(("", name, weights[name]) for name in names)
    path = nx.dag_longest_path(graph)
    graph.remove_node("")
    return case | {
        "order": list(nx.lexicographical_topological_sort(graph)),
        "ancestors": {name: sorted(nx.ancestors(graph, name)) for name in sorted(names)},
        "critical_path_length": sum(weights[name] for name in path if name),
    }


cases = []
for nodes in (1, 2, 3, 5, 8, 13, 21, 34):
    for probability in (0.1, 0.3, 0.6):
        cases.append(described(*drawn(nodes, probability, acyclic=True)))
        cases.append(described(*drawn(nodes, min(probability, 0.2), acyclic=False)))

print(json.dumps({"networkx": nx.__version__, "cases": cases}))
