import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FheClient, type ParameterSetName } from '../../../packages/fhe-client/index.mjs';
import { HomomorphicEngine } from './homomorphic.engine.js';
import { countsOf, type Evaluation, strideOf } from './homomorphic.protocol.js';
import { SIGMOID, SIGMOID_BOUND, SIGMOID_ERROR_MAX } from './parameter-sets.js';

const LENGTH = 5;
const never = new AbortController().signal;

const engine = new HomomorphicEngine();
const clients = new Map<ParameterSetName, FheClient>();
const keys = new Map<ParameterSetName, Uint8Array>();
let reads = 0;

beforeAll(async () => {
  for (const name of ['ckks-8192', 'bfv-8192'] as const) {
    const client = await FheClient.create(name);
    clients.set(name, client);
    keys.set(name, client.evaluationKeys(LENGTH));
  }
});

afterAll(async () => {
  await engine.close();
  for (const client of clients.values()) client.close();
});

const clientOf = (name: ParameterSetName): FheClient => {
  const client = clients.get(name);
  if (!client) throw new Error(`there is no client ${name}`);
  return client;
};

const evaluationKeys = (name: ParameterSetName, bytes = keys.get(name) ?? new Uint8Array()) => ({
  id: `${name}-${bytes.length}`,
  read: () => {
    reads += 1;
    return Promise.resolve(bytes);
  },
});

const evaluation = (
  name: ParameterSetName,
  inputs: readonly (readonly (readonly number[])[])[],
  rest: Partial<Evaluation>,
): Evaluation => ({
  operation: 'linear',
  ciphertexts: inputs.map((rows) => Buffer.from(clientOf(name).encrypt(rows), 'base64')),
  length: inputs[0]?.[0]?.length ?? 1,
  rows: inputs[0]?.length ?? 1,
  weights: [],
  bias: 0,
  ...rest,
});

const resultOf = async (name: ParameterSetName, asked: Evaluation): Promise<number[]> => {
  const { ciphertext } = await engine.run(evaluationKeys(name), asked, never);
  const text = Buffer.from(ciphertext).toString('base64');
  return clientOf(name).decrypt(text, asked.rows, asked.length);
};

const dot = (one: readonly number[], other: readonly number[]): number =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);

const ROWS = [
  [1.5, -2, 0.25, 4, 1],
  [0, 3.5, -1, 0.5, -2],
  [-0.75, 0.125, 2, -3, 0],
];
const WEIGHTS = [0.5, -1.25, 2, 0.75, -0.5];
const INTEGERS = [
  [3, -7, 11, 0, 2],
  [100, 20_000, -5, 1, 1],
];

const expectNear = (values: readonly number[], expected: readonly number[], digits: number) => {
  expect(values).toHaveLength(expected.length);
  for (const [at, value] of values.entries())
    expect(value).toBeCloseTo(expected[at] ?? NaN, digits);
};

describe('CKKS', () => {
  it('scores rows by a linear model', async () => {
    const asked = evaluation('ckks-8192', [ROWS], { weights: WEIGHTS, bias: 1.5 });
    const expected = ROWS.map((row) => dot(row, WEIGHTS) + 1.5);
    expectNear(await resultOf('ckks-8192', asked), expected, 2);
  });

  it('scores rows by a logistic model, as near as its polynomial', async () => {
    const operation = 'logistic';
    const asked = evaluation('ckks-8192', [ROWS], { operation, weights: WEIGHTS, bias: 1.5 });
    const scores = await resultOf('ckks-8192', asked);
    const sums = ROWS.map((row) => dot(row, WEIGHTS) + 1.5);
    expectNear(scores, sums.map(polynomial), 2);
    for (const [at, score] of scores.entries()) {
      expect(Math.abs(score - logistic(sums[at] ?? 0))).toBeLessThan(SIGMOID_ERROR_MAX + 0.01);
    }
  });

  it('multiplies two encrypted vectors', async () => {
    const others = [...ROWS].reverse();
    const asked = evaluation('ckks-8192', [ROWS, others], { operation: 'dot' });
    const expected = ROWS.map((row, at) => dot(row, others[at] ?? []));
    expectNear(await resultOf('ckks-8192', asked), expected, 2);
  });

  it('adds up ciphertexts and their rows', async () => {
    const asked = evaluation('ckks-8192', [ROWS, ROWS, ROWS], { operation: 'sum' });
    const expected = ROWS.map((row) => 3 * dot(row, [1, 1, 1, 1, 1]));
    expectNear(await resultOf('ckks-8192', asked), expected, 2);
  });

  it('states the level and the scale that are left', async () => {
    const asked = evaluation('ckks-8192', [ROWS], { weights: WEIGHTS });
    const { levelsLeft, scaleBits } = await engine.run(evaluationKeys('ckks-8192'), asked, never);
    expect(levelsLeft).toBe(2);
    expect(scaleBits).toBeCloseTo(30, 2);
  });
});

describe('BFV', () => {
  it('is exact', async () => {
    const weights = [2, 3, -1, 5, -8];
    const linear = evaluation('bfv-8192', [INTEGERS], { weights, bias: -4 });
    const sums = evaluation('bfv-8192', [INTEGERS, INTEGERS], { operation: 'sum' });
    const products = evaluation('bfv-8192', [INTEGERS, INTEGERS], { operation: 'dot' });
    expect(await resultOf('bfv-8192', linear)).toEqual(
      INTEGERS.map((row) => dot(row, weights) - 4),
    );
    expect(await resultOf('bfv-8192', sums)).toEqual(
      INTEGERS.map((row) => 2 * dot(row, [1, 1, 1, 1, 1])),
    );
    expect(await resultOf('bfv-8192', products)).toEqual(INTEGERS.map((row) => dot(row, row)));
  });

  it('states no level, since only a decryption shows the noise', async () => {
    const asked = evaluation('bfv-8192', [INTEGERS], { operation: 'sum' });
    const evaluated = await engine.run(evaluationKeys('bfv-8192'), asked, never);
    expect(evaluated).toMatchObject({ levelsLeft: null, scaleBits: null });
  });
});

describe('an evaluation', () => {
  it('counts what it announced', async () => {
    for (const operation of ['linear', 'logistic'] as const) {
      const asked = evaluation('ckks-8192', [ROWS], { operation, weights: WEIGHTS });
      const evaluated = await engine.run(evaluationKeys('ckks-8192'), asked, never);
      expect(evaluated).toMatchObject(countsOf(asked));
      expect(evaluated.rotations).toBe(Math.log2(strideOf(LENGTH)));
    }
  });

  it('reads the keys of a client once', async () => {
    const before = reads;
    const asked = evaluation('ckks-8192', [ROWS], { weights: WEIGHTS });
    await engine.run(evaluationKeys('ckks-8192'), asked, never);
    expect(reads).toBe(before);
    await engine.forget(evaluationKeys('ckks-8192').id);
    await engine.run(evaluationKeys('ckks-8192'), asked, never);
    expect(reads).toBe(before + 1);
  });

  it.each<[string, string, Partial<Evaluation>]>([
    ['a vector of weights of another length', 'weights:', { weights: [1] }],
    ['weights where none are used', 'weights:', { operation: 'sum', weights: [1] }],
    ['too many rows', 'rows:', { rows: 513, weights: WEIGHTS }],
    ['one vector for a dot product', 'ciphertexts:', { operation: 'dot' }],
    ['weights that are zero', 'weights:', { weights: [0, 0, 0, 0, 0] }],
  ])('rejects %s', async (_what, field, change) => {
    const asked = evaluation('ckks-8192', [ROWS], change);
    const run = engine.run(evaluationKeys('ckks-8192'), asked, never);
    await expect(run).rejects.toMatchObject({
      code: 'operation_unsupported',
      message: expect.stringContaining(field),
    });
  });

  it('rejects logistic scoring and fractions in BFV', async () => {
    const logisticOne = evaluation('bfv-8192', [INTEGERS], {
      operation: 'logistic',
      weights: [1, 1, 1, 1, 1],
    });
    const fractions = evaluation('bfv-8192', [INTEGERS], { weights: [0.5, 1, 1, 1, 1] });
    for (const asked of [logisticOne, fractions]) {
      await expect(engine.run(evaluationKeys('bfv-8192'), asked, never)).rejects.toMatchObject({
        code: 'operation_unsupported',
      });
    }
  });

  it('rejects bytes that are no ciphertext, and ciphertexts of other parameters', async () => {
    const asked = evaluation('ckks-8192', [ROWS], { weights: WEIGHTS });
    const [bytes = new Uint8Array()] = asked.ciphertexts;
    const foreign = evaluation('bfv-8192', [INTEGERS], {}).ciphertexts;
    for (const ciphertexts of [[Buffer.from('text')], [bytes.subarray(0, -9)], foreign]) {
      const run = engine.run(evaluationKeys('ckks-8192'), { ...asked, ciphertexts }, never);
      await expect(run).rejects.toMatchObject({ code: 'ciphertext_malformed' });
    }
  });

  it('rejects a result as an input', async () => {
    const asked = evaluation('ckks-8192', [ROWS], { weights: WEIGHTS });
    const { ciphertext } = await engine.run(evaluationKeys('ckks-8192'), asked, never);
    const again = engine.run(
      evaluationKeys('ckks-8192'),
      { ...asked, ciphertexts: [ciphertext] },
      never,
    );
    await expect(again).rejects.toMatchObject({ code: 'ciphertext_unsupported' });
  });

  it('rejects keys without the rotations of a longer vector', async () => {
    const rows = [Array.from({ length: 64 }, () => 1)];
    const asked = evaluation('ckks-8192', [rows], { operation: 'sum' });
    await expect(engine.run(evaluationKeys('ckks-8192'), asked, never)).rejects.toMatchObject({
      code: 'keys_insufficient',
    });
  });

  it.each([
    ['no file of keys', () => Buffer.from('keys')],
    ['a part that is cut', (file: Uint8Array) => file.subarray(0, -1)],
    [
      'a part that SEAL has not written',
      (file: Uint8Array) => file.map((byte, at) => (at === partsAt(file) ? ~byte : byte)),
    ],
  ])('rejects %s', async (_what, change) => {
    const asked = evaluation('ckks-8192', [ROWS], { weights: WEIGHTS });
    const bytes = change(keys.get('ckks-8192') ?? new Uint8Array());
    const changed = { id: 'changed', read: () => Promise.resolve(bytes) };
    await expect(engine.run(changed, asked, never)).rejects.toMatchObject({
      code: 'keys_malformed',
    });
  });

  it('is decrypted by a client that was saved', async () => {
    const asked = evaluation('ckks-8192', [ROWS], { weights: WEIGHTS });
    const { ciphertext } = await engine.run(evaluationKeys('ckks-8192'), asked, never);
    const opened = await FheClient.open(clientOf('ckks-8192').save());
    const values = opened.decrypt(Buffer.from(ciphertext).toString('base64'), 3, LENGTH);
    opened.close();
    expectNear(
      values,
      ROWS.map((row) => dot(row, WEIGHTS)),
      2,
    );
  });
});

/** Behind the magic text, the length of the header, and the header. */
const partsAt = (file: Uint8Array): number => 9 + new DataView(file.buffer).getUint32(5);

const logistic = (x: number): number => 1 / (1 + Math.exp(-x));
const polynomial = (x: number): number =>
  SIGMOID.constant + SIGMOID.linear * x + SIGMOID.cubic * x ** 3;

describe('the polynomial of logistic scoring', () => {
  it('is as near as it is said to be, between its bounds', () => {
    const points = Array.from({ length: 1_601 }, (_, at) => at / 100 - SIGMOID_BOUND);
    const errors = points.map((x) => Math.abs(polynomial(x) - logistic(x)));
    expect(Math.max(...errors)).toBeLessThan(SIGMOID_ERROR_MAX);
    expect(Math.max(...errors)).toBeGreaterThan(SIGMOID_ERROR_MAX - 0.005);
  });
});
