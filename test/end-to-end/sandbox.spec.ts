import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { randomLoop } from '#engines/wasm/random-loop.fixture.js';
import { moduleOf } from '../oracles/wasmtime/vectors.fixture.js';
import { CommandLine } from './command-line.fixture.js';
import { scriptedCatalog, startWorld, type World } from './quipu.harness.js';

const EXECUTE = '/api/v1/wasm/execute';

/** Valid for V8; the sandbox has no threads. */
const SHARED_MEMORY = 'AGFzbQEAAAAFBAEDAQE=';

/** A micro-dollar for a hundred units. An embedded rig has a worker. */
const catalogOf = (baseUrl: string): string =>
  `${scriptedCatalog(baseUrl).replace('models:', '  - { name: built-in, kind: embedded }\nmodels:')}
meters:
  - { meter: wasm_fuel, usd: 0.000001, per: 100 }
`;

interface Execution {
  readonly gas_used: number;
  readonly start_gas: number;
}

const chargedOf = ({ gas_used: used, start_gas: start }: Execution): number => used + start;

describe('the sandbox', () => {
  let world: World;
  const quipu = new CommandLine(() => world);

  beforeAll(async () => {
    world = await startWorld([], { catalogOf });
    await quipu.result('account', 'credit', '--user', 'demo', '--usd', '100', '--reason', 'spec');
  });

  afterAll(() => world.close());

  const post = (body: object) =>
    request(world.quipu.url)
      .post(EXECUTE)
      .set('authorization', `Bearer ${world.credentials.api_key}`)
      .send(body);

  /** The charges of runs, as the log has them. */
  const charges = async () =>
    (await world.events())
      .filter(({ type }) => type === 'HoldCaptured')
      .map(({ data }) => data as Readonly<Record<string, unknown>>)
      .filter(({ purpose }) => purpose === 'wasm_run');

  it('runs a WASI program and charges the fuel that it spent', async () => {
    const { body, headers } = await post({
      wasm_base64: moduleOf('hello'),
      entry_point: '_start',
      memory_limit_mb: 16,
      gas_limit: 1_000_000,
    }).expect(200);
    const { gas_used: fuel, start_gas: startFuel } = body as Execution;
    const quantity = chargedOf(body as Execution);
    expect(body).toMatchObject({
      exit_code: 0,
      stdout: 'Hello from WebAssembly\n',
      stderr: '',
      outcome: 'completed',
      gas_used: expect.any(Number),
      execution_time_ms: expect.any(Number),
      message: null,
      output_truncated: false,
      memory_bytes: 65_536,
      meter_version: 'wasmtime-49/2',
    });
    expect(Number(headers['x-quipu-cost-usd'])).toBeCloseTo(quantity / 1e8, 5);
    expect((await charges()).at(-1)).toMatchObject({
      lines: [{ meter: 'wasm_fuel', quantity, unitPriceMicroUsd: '1', perUnits: 100 }],
      evidence: { outcome: 'completed', exitCode: 0, fuel, startFuel, fuelLimit: 1_000_000 },
    });
  });

  it('passes numbers to an entry point and prints its results', async () => {
    const { body } = await post({
      wasm_base64: moduleOf('fibonacci'),
      entry_point: 'fib',
      args: ['15'],
    }).expect(200);
    expect(body).toMatchObject({ outcome: 'completed', stdout: '610\n', gas_used: 19_726 });
  });

  it.each([
    ['trapped', 134, { wasm_base64: moduleOf('traps'), entry_point: 'stop' }],
    ['out_of_fuel', 152, { wasm_base64: moduleOf('endless'), entry_point: 'f', gas_limit: 5_000 }],
    [
      'out_of_memory',
      137,
      { wasm_base64: moduleOf('greedy'), entry_point: 'f', memory_limit_mb: 2 },
    ],
  ])('charges what was spent when a module is %s', async (outcome, exitCode, body) => {
    const answer = await post(body).expect(200);
    expect(answer.body).toMatchObject({ outcome, exit_code: exitCode });
    const { gas_used: fuel } = answer.body as Execution;
    expect(fuel).toBeGreaterThan(0);
    expect((await charges()).at(-1)).toMatchObject({
      lines: [{ quantity: chargedOf(answer.body as Execution) }],
      evidence: { outcome, fuel },
    });
  });

  it.each([
    [400, 'wasm_base64_invalid', 'wasm_base64', { wasm_base64: 'AGFzb!==' }],
    [
      400,
      'wasm_memory_limit_above_max',
      'memory_limit_mb',
      { wasm_base64: moduleOf('hello'), memory_limit_mb: 100_000 },
    ],
    [
      400,
      'wasm_gas_limit_above_max',
      'gas_limit',
      { wasm_base64: moduleOf('hello'), gas_limit: 9_000_000_000_000_000 },
    ],
    [402, 'insufficient_balance', undefined, { wasm_base64: moduleOf('hello'), gas_limit: 2e10 }],
    [400, 'invalid_request', undefined, { wasm_base64: moduleOf('hello'), gas_limit: 0 }],
  ])('answers %s %s and charges nothing', async (status, code, param, body) => {
    const before = (await charges()).length;
    const answer = await post(body).expect(status);
    expect(answer.body).toMatchObject({ success: false, code, ...(param && { param }) });
    expect(await charges()).toHaveLength(before);
  });

  it.each([
    ['wasm_module_invalid', 'wasm_base64', { wasm_base64: 'aGVsbG8=' }],
    ['wasm_module_refused', 'wasm_base64', { wasm_base64: SHARED_MEMORY }],
    ['wasm_entry_point_missing', 'entry_point', { wasm_base64: moduleOf('fibonacci') }],
    [
      'wasm_arguments_invalid',
      'args',
      { wasm_base64: moduleOf('fibonacci'), entry_point: 'fib', args: ['many'] },
    ],
  ])('answers 422 %s and charges what was read', async (code, param, body) => {
    const answer = await post(body).expect(422);
    expect(answer.body).toMatchObject({ success: false, code, param });
    const bytes = Buffer.from(body.wasm_base64, 'base64').length;
    expect((await charges()).at(-1)).toMatchObject({
      lines: [{ quantity: 10_000_000 + 100 * bytes }],
      evidence: { outcome: 'not_started', exitCode: 126 },
    });
  });

  it('answers a repeated key with the first answer, charged once', async () => {
    const key = randomUUID();
    const body = { wasm_base64: moduleOf('fibonacci'), entry_point: 'fib', args: ['5'] };
    const before = (await charges()).length;
    const first = await post(body).set('idempotency-key', key).expect(200);
    const second = await post(body).set('idempotency-key', key).expect(200);
    expect(second.body).toEqual(first.body);
    expect(await charges()).toHaveLength(before + 1);
  });

  it('counts the same fuel on the command line, free of charge', async () => {
    const file = path.join(world.home, 'fib.wasm');
    await writeFile(file, Buffer.from(moduleOf('fibonacci'), 'base64'));
    const result = await quipu.result('sandbox', 'run', file, '15', '--entry', 'fib');
    expect(result).toMatchObject({ outcome: 'completed', stdout: '610\n', gas_used: 19_726 });
  });

  it('charges an account that loops random bytes, and serves the others meanwhile', async () => {
    const attacker = await quipu.createUser('attacker', 'renter');
    await quipu.result(
      'account',
      'credit',
      '--user',
      'attacker',
      '--usd',
      '10',
      '--reason',
      'spec',
    );
    const body = {
      wasm_base64: randomLoop().toString('base64'),
      memory_limit_mb: 128,
      gas_limit: 5_000_000,
    };
    const attack = () =>
      request(world.quipu.url)
        .post(EXECUTE)
        .set('authorization', `Bearer ${attacker.api_key}`)
        .send(body);
    const { body: first } = await attack().expect(200);
    expect(first).toMatchObject({ outcome: 'out_of_fuel', gas_used: 5_000_000 });
    const statuses = new Map<number, number>();
    const loop = async (): Promise<void> => {
      for (;;) {
        const { status } = await attack();
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status === 402) return;
      }
    };
    const loops = Promise.all(Array.from({ length: 16 }, loop));
    const fib = { wasm_base64: moduleOf('fibonacci'), entry_point: 'fib', args: ['15'] };
    for (let n = 0; n < 5; n += 1) {
      expect((await post(fib).expect(200)).body).toMatchObject({ outcome: 'completed' });
    }
    await loops;
    // Ten dollars are a billion units: each run costs five million, and the start of a thread.
    const paid = Math.floor(1e9 / chargedOf(first as Execution));
    expect(statuses.get(200)).toBeLessThan(paid);
    expect(statuses.get(200)).toBeGreaterThan(paid - 20);
  });
});
