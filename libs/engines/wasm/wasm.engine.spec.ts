import { readdirSync } from 'node:fs';
import { constants, getPriority } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { moduleOf, wasmTaskOf } from '../../../test/oracles/wasmtime/vectors.fixture.js';
import { DRAW_FUEL, randomLoop } from './random-loop.fixture.js';
import { WasmEngine } from './wasm.engine.js';

const never = new AbortController().signal;
/** More than it can spend in the time of a test. */
const PLENTY = 1e15;
const { PRIORITY_BELOW_NORMAL } = constants.priority;

/** Of the threads of this process, as Linux has them. */
const threadPriorities = (): readonly number[] =>
  readdirSync('/proc/self/task').map((thread) => getPriority(Number(thread)));

describe('the WebAssembly engine', () => {
  let engine: WasmEngine;

  beforeAll(() => {
    engine = new WasmEngine();
  });

  afterAll(() => engine.close());

  it('ends a module at its time, with the fuel that it has spent', async () => {
    const task = wasmTaskOf(moduleOf('endless'), {
      entryPoint: 'f',
      fuelLimit: PLENTY,
      wallMsMax: 200,
    });
    const end = await engine.run(task, never);
    expect(end).toMatchObject({ outcome: 'timed_out', exitCode: 124 });
    expect(end.elapsedMs).toBeGreaterThanOrEqual(200);
    expect(end.fuel).toBeGreaterThan(100_000);
    expect(engine.fuel).toBeGreaterThanOrEqual(end.fuel);
  });

  it('reports out of memory when a module traps behind a growth that was denied', async () => {
    const task = wasmTaskOf(moduleOf('greedy'), { entryPoint: 'f' });
    expect(await engine.run({ ...task, memoryLimitMb: 7 }, never)).toMatchObject({
      outcome: 'completed',
      memoryBytes: 101 * 65_536,
    });
    expect(await engine.run({ ...task, memoryLimitMb: 6 }, never)).toMatchObject({
      outcome: 'out_of_memory',
      exitCode: 137,
      memoryBytes: 65_536,
      message: 'unreachable after the memory limit had denied a growth',
    });
  });

  it('counts what the host does for a module, and does no work that is not paid', async () => {
    const task = wasmTaskOf(randomLoop().toString('base64'), { fuelLimit: 3 * DRAW_FUEL });
    const end = await engine.run(task, never);
    expect(end).toMatchObject({ outcome: 'out_of_fuel', fuel: 3 * DRAW_FUEL });
    // Calls are counted, too, so the third draw is not finished.
    const elapsedMs: number[] = [];
    for (let run = 0; run < 3; run += 1) {
      const poor = await engine.run({ ...task, fuelLimit: 1_000 }, never);
      expect(poor).toMatchObject({ outcome: 'out_of_fuel', fuel: 1_000 });
      elapsedMs.push(poor.elapsedMs);
    }
    // The fastest of three, since other work may delay one.
    expect(Math.min(...elapsedMs)).toBeLessThan(end.elapsedMs);
  });

  it('reads the clock while the host works for a module', async () => {
    const endless = { fuelLimit: PLENTY, wallMsMax: 100 };
    const end = await engine.run(wasmTaskOf(randomLoop().toString('base64'), endless), never);
    // A thread that had to be ended by force has no memory to report.
    expect(end).toMatchObject({ outcome: 'timed_out', memoryBytes: 1_600 * 65_536 });
    expect(end.fuel).toBeGreaterThan(1_000_000);
  });

  it('counts a thread, and what was read and compiled', async () => {
    const { startFuel } = await engine.run(wasmTaskOf(moduleOf('hello')), never);
    const bytes = Buffer.from(moduleOf('hello'), 'base64').length;
    // Two types, the function that it imports and its own, and no local.
    expect(startFuel).toBe(10_000_000 + 100 * bytes + 2 * 2_000 + 2 * 3_000);
  });

  it('lets a thread work below the priority of the event loop', async () => {
    const before = getPriority();
    const task = wasmTaskOf(moduleOf('endless'), { entryPoint: 'f', fuelLimit: PLENTY });
    const leaving = new AbortController();
    const run = engine.run({ ...task, wallMsMax: 60_000 }, leaving.signal);
    while (!threadPriorities().includes(PRIORITY_BELOW_NORMAL)) await setTimeout(10);
    expect(getPriority()).toBe(before);
    expect(before).toBeLessThan(PRIORITY_BELOW_NORMAL);
    leaving.abort(new Error('the caller has left'));
    await expect(run).rejects.toThrow('the caller has left');
  });

  it('traps a recursion without an end', async () => {
    const task = wasmTaskOf(moduleOf('calls'), { entryPoint: 'deep', args: ['2000000000'] });
    expect(await engine.run({ ...task, fuelLimit: PLENTY }, never)).toMatchObject({
      outcome: 'trapped',
      exitCode: 134,
      message: 'Maximum call stack size exceeded',
    });
  });

  it('rejects a module with a code', async () => {
    const task = wasmTaskOf(moduleOf('hello'), { entryPoint: 'main' });
    await expect(engine.run(task, never)).rejects.toMatchObject({
      code: 'entry_point_missing',
      message: 'the module has no function main: it exports _start',
    });
  });

  it('stops when its signal aborts', async () => {
    const controller = new AbortController();
    const task = wasmTaskOf(moduleOf('endless'), { entryPoint: 'f', fuelLimit: PLENTY });
    const run = engine.run(task, controller.signal);
    controller.abort(new Error('the caller has left'));
    await expect(run).rejects.toThrow('the caller has left');
    expect(engine.running).toBe(0);
  });

  it('fails what runs when it closes', async () => {
    const closing = new WasmEngine();
    const task = wasmTaskOf(moduleOf('endless'), { entryPoint: 'f', fuelLimit: PLENTY });
    const run = closing.run(task, never);
    await Promise.all([expect(run).rejects.toMatchObject({ code: 'closed' }), closing.close()]);
    await expect(closing.run(task, never)).rejects.toMatchObject({ code: 'closed' });
  });
});
