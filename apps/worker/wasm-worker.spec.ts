import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type OpenModules, openModules, wasmEngine } from '#areas/sandbox/wasm.engine.js';
import { createInProcessBus } from '#platform/bus/in-process/in-process-bus.js';
import { drain } from '#platform/tasks/drain.fixture.js';
import { moduleOf, wasmTaskOf } from '../../test/oracles/wasmtime/vectors.fixture.js';
import { Fleet } from './worker.fixture.js';

const never = new AbortController().signal;

describe('WebAssembly modules on a worker', () => {
  let fleet: Fleet;
  let local: OpenModules;

  beforeAll(async () => {
    fleet = new Fleet(createInProcessBus());
    await fleet.worker('worker-1', { engines: [wasmEngine] });
    local = await openModules();
  });

  afterAll(async () => {
    await local.close();
    await fleet.close();
  });

  const gateway = () => fleet.gateway('gateway-1', { hedgeMs: 60_000 });

  it('print, end and spend what they do in this process', async () => {
    const task = wasmTaskOf(moduleOf('hello'), { entryPoint: '_start' });
    const { end } = await drain(gateway().tasks.run(wasmEngine, task, never));
    const here = await local.run(task, never);
    expect(end).toEqual({ ...here, elapsedMs: expect.any(Number) });
    expect(here.fuel).toBeGreaterThan(0);
    expect(Buffer.from(here.stdoutBase64, 'base64').length).toBeGreaterThan(0);
  });

  it('end with an outcome when they spend too much', async () => {
    const task = wasmTaskOf(moduleOf('endless'), { entryPoint: 'f', fuelLimit: 10_000 });
    const { end } = await drain(gateway().tasks.run(wasmEngine, task, never));
    expect(end).toMatchObject({ outcome: 'out_of_fuel', exitCode: 152, fuel: 10_000 });
  });

  it('say why they do not run', async () => {
    const task = wasmTaskOf(moduleOf('hello'), { entryPoint: 'main' });
    const running = drain(gateway().tasks.run(wasmEngine, task, never));
    await expect(running).rejects.toMatchObject({ code: 'entry_point_missing' });
  });
});
