/** faiss against the engine: the order of an exact search, and the recall of a graph. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { EF_CONSTRUCTION, HnswGraph, LINKS } from '#engines/vectors/hnsw-graph.js';
import { RowBlock } from '#engines/vectors/row-block.js';
import { VectorPartition } from '#engines/vectors/vector-partition.js';
import { asDocuments } from '#engines/vectors/vectors.fixture.js';
import { clusteredVectors } from '../bench/clustered-vectors.js';

interface RecordedSearches {
  readonly rows: number;
  readonly dimensions: number;
  readonly queries: number;
  /** The best ten of each query. */
  readonly ids: readonly (readonly number[])[];
  readonly scores: readonly (readonly number[])[];
  readonly hnsw: {
    readonly links: number;
    readonly efConstruction: number;
    readonly ef: number;
    readonly recall: number;
  };
}

const { cases } = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'vectors/vectors.json'), 'utf8'),
) as { readonly cases: readonly RecordedSearches[] };

const TOP = 10;

describe.each(cases)('faiss on $rows rows of $dimensions', (recorded) => {
  const rows = clusteredVectors(recorded.rows, recorded.dimensions, 1);
  const queries = clusteredVectors(recorded.queries, recorded.dimensions, 2);

  it('has the order and the scores of an exact search (IndexFlatIP)', () => {
    const partition = new VectorPartition(recorded.dimensions, Infinity);
    for (const document of asDocuments(rows)) partition.add(document);
    for (const [at, query] of queries.entries()) {
      const found = partition.search(query, TOP).found;
      expect(found.map(({ document }) => Number(document))).toEqual(recorded.ids[at]);
      for (const [place, { score }] of found.entries()) {
        expect(score).toBeCloseTo(recorded.scores[at]?.[place] ?? NaN, 5);
      }
    }
  });

  it('has a recall that the graph reaches with equal links and candidates (IndexHNSWFlat)', () => {
    const { links, efConstruction, ef, recall } = recorded.hnsw;
    expect([links, efConstruction]).toEqual([LINKS, EF_CONSTRUCTION]);
    const block = new RowBlock(recorded.dimensions);
    for (const row of rows) block.add(row);
    const graph = new HnswGraph(block);
    while (graph.rows < block.rows) graph.insertNext();
    let hits = 0;
    for (const [at, query] of queries.entries()) {
      block.setQuery(query);
      const found = graph.search(ef).slice(0, TOP);
      hits += found.filter(({ row }) => recorded.ids[at]?.includes(row)).length;
    }
    // 400 places: two of a hundred are within chance.
    expect(hits / (recorded.queries * TOP)).toBeGreaterThanOrEqual(recall - 0.02);
  });
});
