import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { moduleOf, wasmTaskOf } from '../../../test/oracles/wasmtime/vectors.fixture.js';
import { WasmEngine } from './wasm.engine.js';

const never = new AbortController().signal;
/** More than it can spend in the time of a test. */
const PLENTY = 1e15;

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
