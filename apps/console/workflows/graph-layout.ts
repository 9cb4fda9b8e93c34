/** A node of a workflow, with the nodes before it. */
export interface GraphNode {
  readonly name: string;
  readonly kind: string;
  readonly after: readonly string[];
}

/** A node with its place: the columns from the left, the rows from the top. */
export interface PlacedNode extends GraphNode {
  readonly column: number;
  readonly row: number;
}

/**
 * Each node stands right of all nodes before it. A definition has no cycle; an edge to a node that
 * is not there, or back to one that is being placed, is not followed.
 */
export const placed = (nodes: readonly GraphNode[]): readonly PlacedNode[] => {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const columns = new Map<string, number>();
  const columnOf = ({ name, after }: GraphNode): number => {
    const known = columns.get(name);
    if (known !== undefined) return known;
    columns.set(name, 0);
    const before = after.flatMap((one) => byName.get(one) ?? []).map(columnOf);
    const column = before.length === 0 ? 0 : Math.max(...before) + 1;
    columns.set(name, column);
    return column;
  };
  const rows = new Map<number, number>();
  return nodes.map((node) => {
    const column = columnOf(node);
    const row = rows.get(column) ?? 0;
    rows.set(column, row + 1);
    return { ...node, column, row };
  });
};
