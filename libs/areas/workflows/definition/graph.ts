/** A node and the nodes before it, by name. */
export interface GraphNode {
  readonly name: string;
  readonly after: readonly string[];
}

/**
 * The nodes in topological order (Kahn's algorithm). Of the nodes that could be next, the one whose
 * name is first: the order is the same for every writing of the graph.
 * @returns the nodes that could be ordered, and the nodes on a cycle or behind one
 */
export const topologicalOrder = <Node extends GraphNode>(
  nodes: readonly Node[],
): { readonly ordered: readonly Node[]; readonly unordered: readonly Node[] } => {
  const left = new Map(nodes.map((node) => [node.name, new Set(node.after)]));
  const byName = nodes.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const ordered: Node[] = [];
  for (;;) {
    const next = byName.find(({ name }) => left.get(name)?.size === 0);
    if (!next) return { ordered, unordered: byName.filter(({ name }) => left.has(name)) };
    left.delete(next.name);
    for (const before of left.values()) before.delete(next.name);
    ordered.push(next);
  }
};

/** A cycle among nodes that cannot be ordered: names, the first one again at the end. */
export const cycleIn = (unordered: readonly GraphNode[]): readonly string[] => {
  const byName = new Map(unordered.map((node) => [node.name, node]));
  const path: string[] = [];
  let at = unordered[0];
  while (at && !path.includes(at.name)) {
    path.push(at.name);
    at = byName.get(at.after.find((name) => byName.has(name)) ?? '');
  }
  return at ? [...path.slice(path.indexOf(at.name)), at.name].toReversed() : [];
};

/** Every node that comes before a node, directly or not. @param ordered in topological order */
export const ancestorsOf = (
  ordered: readonly GraphNode[],
): ReadonlyMap<string, ReadonlySet<string>> => {
  const ancestors = new Map<string, ReadonlySet<string>>();
  for (const { name, after } of ordered) {
    ancestors.set(name, new Set(after.flatMap((one) => [one, ...(ancestors.get(one) ?? [])])));
  }
  return ancestors;
};

export interface CriticalPath {
  readonly nodes: readonly string[];
  /** The sum of the weights of its nodes. */
  readonly length: number;
}

/**
 * The path with the highest total weight; with times as weights, the minimum duration of a run. A
 * path includes a last node that weighs nothing; of equal paths otherwise, the first in the order.
 * @param ordered in topological order
 * @param weightOf never negative
 */
export const criticalPath = (
  ordered: readonly GraphNode[],
  weightOf: (name: string) => number,
): CriticalPath => {
  const paths = new Map<string, CriticalPath>();
  const none: CriticalPath = { nodes: [], length: 0 };
  let longest = none;
  for (const { name, after } of ordered) {
    let best = none;
    for (const before of after) {
      const path = paths.get(before);
      if (path && (path.length > best.length || best === none)) best = path;
    }
    const path = { nodes: [...best.nodes, name], length: best.length + weightOf(name) };
    paths.set(name, path);
    if (path.length > longest.length || best === longest) longest = path;
  }
  return longest;
};
