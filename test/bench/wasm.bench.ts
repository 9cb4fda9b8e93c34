/**
 * Measures WebAssembly modules with their meter beside the same modules in plain V8, in turns and
 * in one run: `npm run wasm`. CPU time counts, since the machine may be shared.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { hash } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
// Relative, because this folder has a package.json of its own and with it no subpath imports.
import { FuelMeter } from '../../libs/engines/wasm/fuel-meter.js';
import { meterModule, TICK } from '../../libs/engines/wasm/metering/meter-module.js';
import { WasmEngine } from '../../libs/engines/wasm/wasm.engine.js';
import { type WasmTask } from '../../libs/engines/wasm/wasm.protocol.js';
import { type Figure } from './figure.js';

const VECTORS = path.resolve('test/oracles/wasmtime/vectors.json');
const ROUNDS = 9;
/** Of a function in a turn, so that a turn takes longer than the steps of the CPU clock. */
const CALLS = 20;
const RUNS = 20;
const LOOPS = 10_000_000;
const SIEVE = 1_000_000;
const FIBONACCI = 25;
const FUEL = 10n ** 15n;
const MEMORY_PAGES = 1_024;

interface Vectors {
  readonly modules: readonly { readonly name: string; readonly wasm: string }[];
}

type Entry = (value: number) => unknown;

const cpuMs = (entry: Entry, value: number): number => {
  const since = process.threadCpuUsage();
  for (let call = 0; call < CALLS; call += 1) entry(value);
  const { user, system } = process.threadCpuUsage(since);
  return (user + system) / 1_000;
};

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN;

const entryOf = (instance: WebAssembly.Instance, name: string): Entry => {
  const entry = instance.exports[name];
  if (typeof entry !== 'function') throw new Error(`the module exports no ${name}`);
  return entry as Entry;
};

const metered = (bytes: Uint8Array, name: string): Entry => {
  const { bytes: rewritten, names } = meterModule(bytes, new Map(), {
    memoryPagesMax: MEMORY_PAGES,
  });
  const meter = new FuelMeter(FUEL, new BigInt64Array(1), () => false);
  const imports = { [TICK.module]: { [TICK.name]: meter.tick } };
  const instance = new WebAssembly.Instance(new WebAssembly.Module(rewritten), imports);
  const counter = instance.exports[names.fuel];
  if (counter instanceof WebAssembly.Global) counter.value = meter.initial;
  return entryOf(instance, name);
};

const plain = (bytes: Uint8Array, name: string): Entry =>
  entryOf(new WebAssembly.Instance(new WebAssembly.Module(bytes), {}), name);

/**
 * How much longer the metered function runs: the best of many turns each, since another process on
 * the same core can only make a turn longer.
 */
const ratioOf = (bytes: Uint8Array, name: string, value: number): number => {
  const [own, bare] = [metered(bytes, name), plain(bytes, name)];
  if (own(value) !== bare(value)) throw new Error('the metered module has another result');
  let [ownMs, bareMs] = [Infinity, Infinity];
  for (let round = 0; round < ROUNDS; round += 1) {
    ownMs = Math.min(ownMs, cpuMs(own, value));
    bareMs = Math.min(bareMs, cpuMs(bare, value));
  }
  return ownMs / bareMs;
};

const startFigures = async (hello: Uint8Array): Promise<readonly Figure[]> => {
  const task: WasmTask = {
    moduleDeflated: deflateRawSync(hello).toString('base64'),
    moduleSha256: hash('sha256', hello),
    moduleBytes: hello.length,
    entryPoint: '_start',
    args: [],
    stdin: '',
    memoryLimitMb: 16,
    fuelLimit: 1_000_000,
    wallMsMax: 10_000,
  };
  const engine = new WasmEngine();
  const { signal } = new AbortController();
  const [whole, inside]: [number[], number[]] = [[], []];
  for (let run = 0; run < RUNS; run += 1) {
    const startedAt = performance.now();
    inside.push((await engine.run(task, signal)).elapsedMs);
    whole.push(performance.now() - startedAt);
  }
  await engine.close();
  return [
    { name: 'a small program, its thread included', value: median(whole), unit: 'ms' },
    { name: 'a small program: meter, compile, run', value: median(inside), unit: 'ms' },
  ];
};

const vectors = JSON.parse(await readFile(VECTORS, 'utf8')) as Vectors;
const moduleOf = (name: string): Uint8Array =>
  Buffer.from(vectors.modules.find((one) => one.name === name)?.wasm ?? '', 'base64');

const target = { atMost: 2 };
const figures: readonly Figure[] = [
  {
    name: 'loop of six instructions',
    value: ratioOf(moduleOf('loop'), 'f', LOOPS),
    unit: 'times V8',
    target,
  },
  { name: 'sieve', value: ratioOf(moduleOf('sieve'), 'f', SIEVE), unit: 'times V8', target },
  {
    name: 'calls',
    value: ratioOf(moduleOf('fibonacci'), 'fib', FIBONACCI),
    unit: 'times V8',
    target,
  },
  ...(await startFigures(moduleOf('hello'))),
];
for (const { name, value, unit, target: bar } of figures) {
  const judged = bar ? ` (target: at most ${bar.atMost})` : '';
  console.log(`${name}: ${value.toFixed(2)} ${unit}${judged}`);
}
