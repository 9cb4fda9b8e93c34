import { afterEach, describe, expect, it } from '@jest/globals';
import { RowBlock } from './row-block.js';
import { TopList } from './top-list.js';
import { RECALL_LEAST, VectorPartition } from './vector-partition.js';
import { VectorPartitions } from './vector-partitions.js';
import { VectorsEngine } from './vectors.engine.js';
import { asDocuments, clusteredVectors, unitOf } from './vectors.fixture.js';

const NEVER = 1e9;

/** By the definition, in double precision. */
const productOf = (one: Float32Array, other: Float32Array): number =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);

const bestOf = (vectors: readonly Float32Array[], query: Float32Array, top: number) =>
  vectors
    .map((vector, row) => ({ row, score: productOf(vector, query) }))
    .sort((one, other) => other.score - one.score || one.row - other.row)
    .slice(0, top);

const partitionOf = (vectors: readonly Float32Array[], exactRowsMax = NEVER): VectorPartition => {
  const partition = new VectorPartition(vectors[0]?.length ?? 0, exactRowsMax);
  for (const document of asDocuments(vectors)) partition.add(document);
  return partition;
};

const built = (partition: VectorPartition): VectorPartition => {
  while (partition.work(Infinity));
  return partition;
};

describe('the kernel', () => {
  it.each([1, 3, 16, 17, 100, 768])('computes products of %i dimensions', (dimensions) => {
    const vectors = clusteredVectors(70, dimensions, 7);
    const [query = new Float32Array(dimensions)] = clusteredVectors(1, dimensions, 8);
    const block = new RowBlock(dimensions);
    for (const vector of vectors) block.add(vector);
    block.setQuery(query);
    const gathered = block.scoresOf([69, 0, 33]);
    for (const [at, row] of [69, 0, 33].entries()) {
      expect(gathered[at]).toBeCloseTo(productOf(vectors[row] ?? query, query), 5);
    }
    const list = new TopList(70);
    block.scan(list);
    for (const { row, score } of list.sorted()) {
      expect(score).toBeCloseTo(productOf(vectors[row] ?? query, query), 5);
    }
  });
});

describe('an exact search', () => {
  it('has the order of the definition, over more than one call of the kernel', () => {
    const vectors = clusteredVectors(3_000, 32, 1);
    const partition = partitionOf(vectors);
    for (const query of clusteredVectors(20, 32, 2)) {
      const { found, index, recall } = partition.search(query, 10);
      expect([index, recall]).toEqual(['exact', 1]);
      expect(found.map(({ document }) => Number(document))).toEqual(
        bestOf(vectors, query, 10).map(({ row }) => row),
      );
    }
  });

  it('puts the smaller document and chunk first among equal scores', () => {
    const one = unitOf(Float32Array.of(1, 2, 3, 4));
    const partition = new VectorPartition(4, NEVER);
    const twice = Float32Array.from([...one, ...one]);
    for (const document of ['c', 'a', 'b']) partition.add({ document, vectors: twice });
    const found = partition
      .search(one, 5)
      .found.map(({ document, chunk }) => `${document}${chunk}`);
    expect(found).toEqual(['a0', 'a1', 'b0', 'b1', 'c0']);
  });

  it('finds no removed row, before and after the partition is made again', () => {
    const vectors = clusteredVectors(100, 16, 3);
    const partition = partitionOf(vectors);
    const [query = new Float32Array(16)] = vectors;
    for (let row = 0; row < 60; row += 1) {
      partition.remove(String(row).padStart(8, '0'));
      const { found } = partition.search(query, 100);
      expect(partition.rows).toBe(99 - row);
      expect(found.map(({ document }) => Number(document)).sort((a, b) => a - b)).toEqual(
        Array.from({ length: 99 - row }, (_, at) => at + row + 1),
      );
    }
  });
});

describe('a graph', () => {
  const vectors = clusteredVectors(2_500, 24, 4);

  it('answers with the recall that it was measured to have, and at least that of the bar', () => {
    const partition = built(partitionOf(vectors, 1_000));
    let [hits, claimed] = [0, 0];
    const queries = clusteredVectors(100, 24, 5);
    for (const query of queries) {
      const { found, index, recall } = partition.search(query, 10);
      expect(index).toBe('hnsw');
      claimed = recall;
      const exact = new Set(bestOf(vectors, query, 10).map(({ row }) => row));
      hits += found.filter(({ document }) => exact.has(Number(document))).length;
    }
    expect(claimed).toBeGreaterThanOrEqual(RECALL_LEAST);
    expect(Math.abs(hits / (10 * queries.length) - claimed)).toBeLessThan(0.05);
  });

  it('answers exactly until it is measured, and finds rows that it does not have yet', () => {
    const partition = partitionOf(vectors, 1_000);
    const [query = new Float32Array(24)] = clusteredVectors(1, 24, 6);
    expect(partition.search(query, 10).index).toBe('exact');
    built(partition);
    partition.add({ document: 'added', vectors: query });
    expect(partition.search(query, 1)).toMatchObject({
      index: 'hnsw',
      found: [{ document: 'added', chunk: 0 }],
    });
    partition.remove('added');
    expect(partition.search(query, 1).found[0]?.document).not.toBe('added');
  });

  it('does not answer below the bar, and is not tried again before the rows have doubled', () => {
    const out = new VectorPartition(24, 1_000, 1.01);
    const few = asDocuments(vectors.slice(0, 1_200));
    for (const document of few) out.add(document);
    built(out);
    expect(out.search(vectors[0] ?? new Float32Array(24), 10)).toMatchObject({
      index: 'exact',
      recall: 1,
    });
    out.add({ document: 'added', vectors: vectors[1_300] ?? new Float32Array(24) });
    expect(out.work(Infinity)).toBe(false);
  });

  it('is left out where only some documents are searched, which are counted', () => {
    const partition = built(partitionOf(vectors, 1_000));
    const [query = new Float32Array(24)] = clusteredVectors(1, 24, 11);
    const asked = Array.from({ length: 1_100 }, (_, row) => 2 * row);
    const only = new Set(asked.map((row) => String(row).padStart(8, '0')));
    const answer = partition.searchOnly(only.add('absent'), query, 10);
    expect(answer).toMatchObject({ index: 'exact', recall: 1, rows: 1_100 });
    const even = bestOf(vectors.slice(0, 2_200), query, 2_200).filter(({ row }) => row % 2 === 0);
    expect(answer.found.map(({ document }) => Number(document))).toEqual(
      even.slice(0, 10).map(({ row }) => row),
    );
  });

  it('is equal for equal rows', () => {
    const few = vectors.slice(0, 1_200);
    const [one, other] = [built(partitionOf(few, 1_000)), built(partitionOf(few, 1_000))];
    for (const query of clusteredVectors(20, 24, 10)) {
      expect(one.search(query, 10)).toEqual(other.search(query, 10));
    }
  });
});

describe('partitions', () => {
  it('answer as if partitions that are not asked were absent', () => {
    const [shown, hidden] = [clusteredVectors(300, 8, 11), clusteredVectors(900, 8, 12)];
    const [small, large] = [new VectorPartitions(100), new VectorPartitions(100)];
    const change = { dimensions: 8, remove: [] };
    for (const partitions of [small, large]) {
      partitions.change({ ...change, partition: 'shown', add: asDocuments(shown) });
    }
    large.change({ ...change, partition: 'hidden', add: asDocuments(hidden) });
    while (small.work(Infinity));
    while (large.work(Infinity));
    for (const query of hidden.slice(0, 50)) {
      const asked = { partitions: ['shown', 'absent'], query, top: 20 };
      expect(large.search(asked)).toEqual(small.search(asked));
    }
  });
});

describe('the engine', () => {
  const engines: VectorsEngine[] = [];
  const open = (): VectorsEngine => {
    const engine = new VectorsEngine(1_000);
    engines.push(engine);
    return engine;
  };
  afterEach(async () => {
    for (const engine of engines.splice(0)) await engine.close();
  });

  it('answers on its thread, builds the graph meanwhile, and says when it is closed', async () => {
    const engine = open();
    const vectors = clusteredVectors(1_200, 8, 13);
    const add = asDocuments(vectors);
    await engine.change({ partition: 'p', dimensions: 8, add, remove: [] });
    const query = vectors[5] ?? new Float32Array(8);
    const ask = () => engine.search({ partitions: ['p'], query, top: 3 });
    for (let answer = await ask(); answer.index !== 'hnsw'; answer = await ask()) {
      expect(answer).toMatchObject({ recall: 1, rows: 1_200 });
    }
    expect((await ask()).hits[0]).toMatchObject({ document: '00000005', chunk: 0 });
    await engine.drop('p');
    expect(await ask()).toEqual({ hits: [], index: 'exact', recall: 1, rows: 0 });
    await engine.close();
    await expect(ask()).rejects.toMatchObject({ code: 'closed' });
  });
});
