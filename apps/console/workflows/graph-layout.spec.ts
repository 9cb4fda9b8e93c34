import { describe, expect, it } from '@jest/globals';
import { type GraphNode, placed } from './graph-layout.js';

const node = (name: string, ...after: readonly string[]): GraphNode => ({
  name,
  kind: 'chat',
  after,
});

const placesOf = (nodes: readonly GraphNode[]): Readonly<Record<string, readonly number[]>> =>
  Object.fromEntries(placed(nodes).map(({ name, column, row }) => [name, [column, row]]));

describe('the layout of a workflow', () => {
  it('has each node right of the nodes before it, and rows without overlap', () => {
    expect(placesOf([node('d', 'b', 'c'), node('a'), node('b', 'a'), node('c', 'a')])).toEqual({
      a: [0, 0],
      b: [1, 0],
      c: [1, 1],
      d: [2, 0],
    });
  });

  it('ends for edges to absent nodes and for cycles', () => {
    expect(placesOf([node('a', 'b', 'gone'), node('b', 'a')])).toEqual({ a: [2, 0], b: [1, 0] });
  });
});
