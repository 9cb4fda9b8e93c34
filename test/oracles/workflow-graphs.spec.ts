import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  ancestorsOf,
  criticalPath,
  cycleIn,
  type GraphNode,
  topologicalOrder,
} from '#areas/workflows/definition/graph.js';

/** A graph, and what networkx says of it; a cyclic one has nothing more. */
interface Case {
  readonly nodes: readonly GraphNode[];
  readonly weights: Readonly<Record<string, number>>;
  readonly is_acyclic: boolean;
  readonly order?: readonly string[];
  readonly ancestors?: Readonly<Record<string, readonly string[]>>;
  readonly critical_path_length?: number;
}

const FILE = path.join(import.meta.dirname, 'workflows/networkx.json');
const { cases } = JSON.parse(await readFile(FILE, 'utf8')) as { readonly cases: readonly Case[] };
const acyclic = cases.filter((one) => one.is_acyclic);
const cyclic = cases.filter((one) => !one.is_acyclic);

describe('the graph of a workflow, beside networkx', () => {
  it('has enough graphs of both kinds to compare', () => {
    expect({ acyclic: acyclic.length >= 24, cyclic: cyclic.length >= 10 }).toEqual({
      acyclic: true,
      cyclic: true,
    });
  });

  it('has the same order and the same ancestors', () => {
    for (const { nodes, order, ancestors } of acyclic) {
      const { ordered, unordered } = topologicalOrder(nodes);
      expect(unordered).toEqual([]);
      expect(ordered.map(({ name }) => name)).toEqual(order);
      const found = [...ancestorsOf(ordered)].map(([name, all]) => [name, [...all].toSorted()]);
      expect(Object.fromEntries(found)).toEqual(ancestors);
    }
  });

  it('has a critical path of the same length, along its edges', () => {
    for (const { nodes, weights, critical_path_length: length } of acyclic) {
      const { ordered } = topologicalOrder(nodes);
      const found = criticalPath(ordered, (name) => weights[name] ?? 0);
      expect(found.length).toBe(length);
      expect(found.nodes.reduce((sum, name) => sum + (weights[name] ?? 0), 0)).toBe(length);
      for (const [at, name] of found.nodes.slice(1).entries()) {
        expect(nodes.find((node) => node.name === name)?.after).toContain(found.nodes[at]);
      }
    }
  });

  it('shows a cycle where networkx finds one', () => {
    for (const { nodes } of cyclic) {
      const cycle = cycleIn(topologicalOrder(nodes).unordered);
      expect(cycle.length).toBeGreaterThan(1);
      expect(cycle.at(-1)).toBe(cycle[0]);
      for (const [at, name] of cycle.slice(1).entries()) {
        expect(nodes.find((node) => node.name === name)?.after).toContain(cycle[at]);
      }
    }
  });
});
