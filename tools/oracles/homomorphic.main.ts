/**
 * Writes ciphertexts and results for TenSEAL to the folder that is the first argument: `check.json`
 * has the plain results. With `--speed`, it measures the operations as well.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { HomomorphicEngine } from '#engines/homomorphic/homomorphic.engine.js';
import { type Evaluation, strideOf } from '#engines/homomorphic/homomorphic.protocol.js';
import { parseKeyBundle } from '#engines/homomorphic/key-bundle.js';
import {
  PARAMETER_SETS,
  type ParameterSetName,
  SIGMOID,
} from '#engines/homomorphic/parameter-sets.js';
import { loadKeys, openSeal, openSet } from '#engines/homomorphic/seal-session.js';

type Client = typeof import('../../packages/fhe-client/index.mjs');

const LENGTH = 6;
const ROWS = [
  [3, -7, 11, 0, 2, 5],
  [1, 2, -4, 8, -1, 0],
];
const WEIGHTS = [2, -1, 1, 3, -2, 1];
const BIAS = -3;
const MEASURED_MS = 2_000;
const never = new AbortController().signal;

const [, , folder = '', mode = ''] = process.argv;
const client = pathToFileURL(path.resolve('packages/fhe-client/index.mjs')).href;
const { FheClient } = (await import(client)) as Client;

const dot = (one: readonly number[], other: readonly number[]): number =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);

const sigmoid = (z: number): number =>
  SIGMOID.constant + SIGMOID.linear * z + SIGMOID.cubic * z ** 3;

const linear = (row: readonly number[]): number => dot(row, WEIGHTS) + BIAS;

/** The plain result of each operation for a row. */
const PLAIN: Readonly<Record<Evaluation['operation'], (row: readonly number[]) => number>> = {
  linear,
  logistic: (row) => sigmoid(linear(row)),
  dot: (row) => dot(row, row),
  sum: (row) => 2 * dot(row, [1, 1, 1, 1, 1, 1]),
};

const save = (name: string, bytes: Uint8Array): string => {
  writeFileSync(path.join(folder, name), bytes);
  return name;
};

const checkOf = async (name: ParameterSetName) => {
  const own = await FheClient.create(name);
  const keys = own.evaluationKeys(LENGTH);
  const secret = own.save();
  const input = Buffer.from(own.encrypt(ROWS), 'base64');
  const engine = new HomomorphicEngine();
  const results: object[] = [];
  for (const operation of ['linear', 'logistic', 'dot', 'sum'] as const) {
    if (operation === 'logistic' && name === 'bfv-8192') continue;
    const isScoring = operation === 'linear' || operation === 'logistic';
    const { ciphertext } = await engine.run(
      { id: name, read: () => Promise.resolve(keys) },
      {
        operation,
        ciphertexts: isScoring ? [input] : [input, input],
        length: LENGTH,
        rows: ROWS.length,
        weights: isScoring ? WEIGHTS : [],
        bias: BIAS,
      },
      never,
    );
    const file = save(`${name}.${operation}`, ciphertext);
    results.push({ operation, file, values: ROWS.map(PLAIN[operation]) });
  }
  await engine.close();
  own.close();
  return {
    parameters: PARAMETER_SETS[name],
    // Behind the line with the name of the parameters.
    secret_key: save(`${name}.secret`, secret.subarray(secret.indexOf(0x0a) + 1)),
    input: save(`${name}.input`, input),
    rows: ROWS,
    stride: strideOf(LENGTH),
    results,
  };
};

const perSecond = (run: () => void): number => {
  const startedAt = performance.now();
  let runs = 0;
  for (; performance.now() - startedAt < MEASURED_MS; runs += 1) run();
  return (runs * 1e3) / (performance.now() - startedAt);
};

/** Operations per second of WebAssembly, on one thread. */
const speedOf = async (name: ParameterSetName) => {
  const seal = await openSeal();
  const own = await FheClient.create(name);
  const sealSet = openSet(seal, name);
  const { galois, relinearization } = loadKeys(
    seal,
    sealSet,
    parseKeyBundle(own.evaluationKeys(2)),
  );
  const { evaluator, context } = sealSet;
  const input = new seal.Ciphertext();
  input.loadFromArray(context, Uint8Array.from(Buffer.from(own.encrypt(ROWS), 'base64')));
  const output = new seal.Ciphertext();
  const rotate = name === 'ckks-8192' ? 'rotateVector' : 'rotateRows';
  return {
    multiply: perSecond(() => {
      evaluator.multiply(input, input, output);
      evaluator.relinearizeInplace(output, relinearization);
    }),
    rotate: perSecond(() => evaluator[rotate](input, 1, galois, output)),
    add: perSecond(() => evaluator.add(input, input, output)),
  };
};

const names = ['ckks-8192', 'bfv-8192'] as const;
const sets: object[] = [];
for (const name of names) {
  const speed = mode === '--speed' ? { speed: await speedOf(name) } : {};
  sets.push({ name, ...(await checkOf(name)), ...speed });
}
writeFileSync(path.join(folder, 'check.json'), JSON.stringify({ sets }));
