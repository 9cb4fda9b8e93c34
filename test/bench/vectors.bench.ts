/**
 * Searches of vectors on one core: `npm run vectors -- [--python PROGRAM] [--rows N]`. PROGRAM,
 * with faiss-cpu and numpy, searches the same vectors in turns with the engine, so that both have
 * the same share of the machine. The recall curve is of fewer rows.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { HnswGraph } from '../../libs/engines/vectors/hnsw-graph.js';
import { RowBlock } from '../../libs/engines/vectors/row-block.js';
import { TopList } from '../../libs/engines/vectors/top-list.js';
import { clusteredVectors } from './clustered-vectors.js';

const DIMENSIONS = 768;
const ROUNDS = 5;
const QUERIES = 20;
const TOP = 10;
const CURVE_ROWS = 10_000;
const CURVE_QUERIES = 100;
const EFS = [16, 32, 64, 128, 256] as const;

/** Answers a line for each line: the milliseconds of a search, in the median of some. */
const FAISS = `
import sys, time, statistics
import faiss, numpy as np
faiss.omp_set_num_threads(1)
d, top, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
rows = np.fromfile(folder + '/rows', dtype='<f4').reshape(-1, d)
queries = np.fromfile(folder + '/queries', dtype='<f4').reshape(-1, d)
flat = faiss.IndexFlatIP(d)
flat.add(rows)
print('ready', flush=True)
for _ in sys.stdin:
    times = []
    for q in queries:
        since = time.perf_counter()
        flat.search(q[None], top)
        times.append(1e3 * (time.perf_counter() - since))
    print(statistics.median(times), flush=True)`;

const medianOf = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? NaN;

const blockOf = (vectors: readonly Float32Array[]): RowBlock => {
  const block = new RowBlock(DIMENSIONS);
  for (const vector of vectors) block.add(vector);
  return block;
};

const exact = (block: RowBlock, query: Float32Array): readonly number[] => {
  block.setQuery(query);
  const list = new TopList(TOP);
  block.scan(list);
  return list.sorted().map(({ row }) => row);
};

const msOf = (work: () => unknown): number => {
  const since = performance.now();
  work();
  return performance.now() - since;
};

/** The loop that the kernel replaces. */
const plainMs = (vectors: readonly Float32Array[], query: Float32Array): number =>
  msOf(() => {
    let best = -1;
    for (const vector of vectors) {
      let sum = 0;
      for (let at = 0; at < DIMENSIONS; at += 1) sum += (vector[at] ?? 0) * (query[at] ?? 0);
      best = Math.max(best, sum);
    }
  });

const bytesOf = (vectors: readonly Float32Array[]): Buffer =>
  Buffer.concat(
    vectors.map(({ buffer, byteOffset, byteLength }) => {
      return Buffer.from(buffer, byteOffset, byteLength);
    }),
  );

/** faiss, which answers when it is asked. */
class Peer {
  readonly #lines: AsyncIterator<string>;

  private constructor(private readonly child: ChildProcess) {
    if (!child.stdout) throw new Error('faiss has no output');
    this.#lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  }

  static async start(python: string, folder: string): Promise<Peer> {
    const given = ['-c', FAISS, String(DIMENSIONS), String(TOP), folder];
    const peer = new Peer(spawn(python, given, { stdio: ['pipe', 'pipe', 'inherit'] }));
    await peer.#lines.next();
    return peer;
  }

  async medianMs(): Promise<number> {
    this.child.stdin?.write('\n');
    return Number((await this.#lines.next()).value);
  }

  async end(): Promise<void> {
    this.child.stdin?.end();
    await once(this.child, 'exit');
  }
}

const report = (name: string, value: number, unit: string): void => {
  process.stdout.write(`${name}: ${value.toFixed(3)} ${unit}\n`);
};

const beside = async (python: string | undefined, rows: number): Promise<void> => {
  const vectors = clusteredVectors(rows, DIMENSIONS, 1, 500);
  const queries = clusteredVectors(QUERIES, DIMENSIONS, 2, 500);
  const block = blockOf(vectors);
  const folder = await mkdtemp(path.join(tmpdir(), 'quipu-vectors-'));
  try {
    await writeFile(path.join(folder, 'rows'), bytesOf(vectors));
    await writeFile(path.join(folder, 'queries'), bytesOf(queries));
    const peer = python === undefined ? null : await Peer.start(python, folder);
    const [own, theirs]: number[][] = [[], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      own?.push(medianOf(queries.map((query) => msOf(() => exact(block, query)))));
      if (peer) theirs?.push(await peer.medianMs());
    }
    await peer?.end();
    const best = Math.min(...(own ?? []));
    report(`exact search of ${rows} x ${DIMENSIONS}`, 1e3 / best, '1/s');
    report(
      'a plain loop over Float32Array',
      1e3 / plainMs(vectors, queries[0] ?? new Float32Array()),
      '1/s',
    );
    if (!peer) return;
    const bestOfPeer = Math.min(...(theirs ?? []));
    report('faiss IndexFlatIP, one thread', 1e3 / bestOfPeer, '1/s');
    report('searches of the engine beside faiss', bestOfPeer / best, 'x');
  } finally {
    await rm(folder, { recursive: true });
  }
};

const curve = (): void => {
  const block = blockOf(clusteredVectors(CURVE_ROWS, DIMENSIONS, 3, 200));
  const queries = clusteredVectors(CURVE_QUERIES, DIMENSIONS, 4, 200);
  const graph = new HnswGraph(block);
  const builtMs = msOf(() => {
    while (graph.rows < block.rows) graph.insertNext();
  });
  report(`graph of ${CURVE_ROWS} rows: a row`, builtMs / CURVE_ROWS, 'ms');
  const best = queries.map((query) => exact(block, query));
  report('exact search of these', medianOf(queries.map((q) => msOf(() => exact(block, q)))), 'ms');
  for (const ef of EFS) {
    let hits = 0;
    const times = queries.map((query, at) =>
      msOf(() => {
        block.setQuery(query);
        const found = graph.search(Math.max(ef, TOP)).slice(0, TOP);
        hits += found.filter(({ row }) => best[at]?.includes(row)).length;
      }),
    );
    report(`ef ${ef}: recall@10`, hits / (CURVE_QUERIES * TOP), '');
    report(`ef ${ef}: a search`, medianOf(times), 'ms');
  }
};

const { values } = parseArgs({
  options: { python: { type: 'string' }, rows: { type: 'string', default: '100000' } },
});
await beside(values.python, Number(values.rows));
curve();
