import { describe, expect, it } from '@jest/globals';
import { type Clock } from '#platform/kernel/clock.js';
import { FakeLedger } from '#platform/ledger/ledger.fake.js';
import { type MeterPrices } from '#platform/ledger/meter-prices.port.js';
import { PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { paidWorkContract } from '#platform/ledger/paid-work/paid-work.contract.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { RequestCutError } from '#platform/runtime/commands/request-cut.js';
import { TaskError } from '#platform/tasks/task.error.js';
import { type Tasks } from '#platform/tasks/tasks.port.js';
import { type ToolCall } from '#platform/tools/tool.js';
import { ExecuteModuleCommand, ExecuteModuleHandler } from './execute-module.handler.js';
import { ModuleRunner } from './module-runner.js';
import { SandboxAdmission } from './sandbox-admission.js';
import { requestMsMaxOf, type SandboxSettings } from './sandbox.settings.js';
import { startFuelMaxOf, type WasmEnd } from './wasm.engine.js';
import { WasmTool } from './wasm.tool.js';

const REQUEST = '0198c2f1-7a3b-7c5d-8e9f-0a1b2c3d4e5f';
const SETTINGS: SandboxSettings = {
  memoryMbMax: 256,
  fuelMax: 1_000_000,
  wallMsMax: 1_000,
  runsMax: 3,
  runsPerAccountMax: 2,
};
const MODULE = {
  wasmBase64: 'AGFzbQEAAAA=',
  entryPoint: '_start',
  args: [],
  stdin: '',
  memoryLimitMb: 16,
  gasLimit: 500,
};
const END: WasmEnd = {
  outcome: 'trapped',
  exitCode: 134,
  message: 'unreachable',
  outputTruncated: false,
  stdoutBase64: 'aGk=',
  stderrBase64: '',
  fuel: 42,
  startFuel: 1_000,
  meterVersion: 'wasmtime-49/2',
  memoryBytes: 65_536,
  elapsedMs: 3.5,
};
const PRICES: MeterPrices = {
  inForce: () => ({
    rateCardVersion: 3,
    prices: new Map([['wasm_fuel', { unitPriceMicroUsd: '20', perUnits: 1_000 }]]),
  }),
};

type Work = () => Promise<WasmEnd | null>;

const handlerOn = (paid: PaidRequests, clock: Clock, work: Work, prices = PRICES) => {
  const tasks = {
    async *run() {
      return await work();
    },
  } as unknown as Tasks;
  const runner = new ModuleRunner(tasks, SETTINGS);
  const admission = new SandboxAdmission(paid, prices, SETTINGS, clock);
  return { runner, handler: new ExecuteModuleHandler(admission, runner, SETTINGS) };
};

/** A sandbox whose engine ends in this way. */
const sandboxWith = (ended: WasmEnd | null | Error, prices: MeterPrices = PRICES) => {
  const ledger = new FakeLedger();
  const clock = { now: () => 1_000 };
  const paid = new PaidRequests(ledger, { settleMsMax: 60_000 }, clock);
  const work: Work = () =>
    ended instanceof Error ? Promise.reject(ended) : Promise.resolve(ended);
  const { runner, handler } = handlerOn(paid, clock, work, prices);
  const execute = (changes: object = {}, signal = new AbortController().signal) => {
    const order = {
      accountId: 'user-1',
      receivedAtMs: 900,
      module: MODULE,
      context: contextOf(REQUEST, 'user:1'),
      ...changes,
    };
    return handler.execute(new ExecuteModuleCommand(order, signal));
  };
  return { execute, ledger, tool: new WasmTool(prices, runner, SETTINGS) };
};

paidWorkContract('sandbox', {
  requestMsMax: requestMsMaxOf(SETTINGS),
  open: (paid, clock, work) => {
    const { handler } = handlerOn(paid, clock, async () => {
      await Promise.resolve();
      work();
      return END;
    });
    return Promise.resolve((order, signal) =>
      handler.execute(new ExecuteModuleCommand({ ...order, module: MODULE }, signal)),
    );
  },
});

describe('a run of a module', () => {
  it('charges what a trapped module has spent, with the evidence to count it again', async () => {
    const { execute, ledger } = sandboxWith(END);
    await execute();
    expect(ledger.captures).toEqual([
      expect.objectContaining({
        lines: [{ meter: 'wasm_fuel', quantity: 1_042, unitPriceMicroUsd: '20', perUnits: 1_000 }],
        outcome: 'completed',
        evidence: {
          moduleSha256: '93a44bbb96c751218e4c00d479e4c14358122a389acca16205b1e4d0dc5f9476',
          memoryLimitMb: 16,
          fuelLimit: 500,
          outcome: 'trapped',
          exitCode: 134,
          fuel: 42,
          startFuel: 1_000,
          meterVersion: 'wasmtime-49/2',
        },
      }),
    ]);
  });

  it('says of a run that was ended at its time that it timed out', async () => {
    const { execute, ledger } = sandboxWith({ ...END, outcome: 'timed_out' });
    await execute();
    expect(ledger.captured.outcome).toBe('timed_out');
  });

  it.each(['module_invalid', 'module_refused', 'entry_point_missing', 'arguments_invalid'])(
    'charges a module that was read and failed with %s for the reading',
    async (code) => {
      const { execute, ledger } = sandboxWith(new TaskError(code, 'why'));
      await expect(execute()).rejects.toMatchObject({ code: `wasm_${code}`, detail: 'why' });
      expect(ledger.calls).toEqual(['place', 'capture completed']);
      // A thread, and eight bytes.
      expect(ledger.captured).toMatchObject({
        lines: [{ meter: 'wasm_fuel', quantity: 10_000_800 }],
        evidence: { outcome: 'not_started', exitCode: 126, fuel: 0, startFuel: 10_000_800 },
      });
    },
  );

  it('frees the hold of a module that is too large for a worker', async () => {
    const { execute, ledger } = sandboxWith(new TaskError('task_too_large', 'why'));
    await expect(execute()).rejects.toMatchObject({ code: 'wasm_module_too_large' });
    expect(ledger.calls).toEqual(['place', 'release refused']);
  });

  it.each([
    ['busy', 'busy'],
    ['no_worker', 'away'],
    ['worker_lost', 'away'],
    ['closed', 'away'],
    ['failed', 'failed'],
  ])('frees the hold when the engine fails with %s', async (code, kind) => {
    const { execute, ledger } = sandboxWith(new TaskError(code, 'why'));
    await expect(execute()).rejects.toMatchObject({ name: 'SandboxError', kind });
    expect(ledger.calls).toEqual(['place', 'release upstream_failed']);
  });

  it('frees the hold of a run that is cut', async () => {
    const { execute, ledger } = sandboxWith(null);
    const controller = new AbortController();
    controller.abort(new RequestCutError('shut_down'));
    await expect(execute({}, controller.signal)).rejects.toMatchObject({ reason: 'shut_down' });
    expect(ledger.calls).toEqual(['place', 'release shut_down']);
  });

  it('is not sold without a price', async () => {
    const { execute, ledger } = sandboxWith(END, { inForce: () => undefined });
    await expect(execute()).rejects.toMatchObject({ code: 'wasm_not_priced' });
    expect(ledger.calls).toEqual([]);
  });

  it.each([
    ['wasm_base64_invalid', { wasmBase64: 'AGFzbQ' }],
    ['wasm_base64_invalid', { wasmBase64: 'AGFz\nbQE' }],
    ['wasm_memory_limit_above_max', { memoryLimitMb: 257 }],
    ['wasm_gas_limit_above_max', { gasLimit: 1_000_001 }],
  ])('is rejected with %s before anything is held', async (code, changes) => {
    const { execute, ledger } = sandboxWith(END);
    const module = { ...MODULE, ...changes };
    await expect(execute({ module })).rejects.toMatchObject({ code });
    expect(ledger.calls).toEqual([]);
  });
});

describe('the tool wasm', () => {
  const call: ToolCall = {
    id: REQUEST,
    accountId: 'user-1',
    actor: 'user:1',
    requestId: REQUEST,
    pricedAtMs: 1_000,
    signal: new AbortController().signal,
  };
  const input = {
    wasm_base64: MODULE.wasmBase64,
    entry_point: '_start',
    args: [],
    stdin: '',
    memory_limit_mb: 16,
    gas_limit: 500,
  };

  it('estimates the price of the limit, and holds nothing', async () => {
    const { tool, ledger } = sandboxWith(END);
    expect(await tool.estimate(input, call)).toEqual({
      lines: [
        {
          meter: 'wasm_fuel',
          quantity: 500 + startFuelMaxOf(9),
          unitPriceMicroUsd: '20',
          perUnits: 1_000,
        },
      ],
      rateCardVersion: 3,
    });
    await expect(tool.estimate({ ...input, gas_limit: 2_000_000 }, call)).rejects.toMatchObject({
      code: 'wasm_gas_limit_above_max',
    });
    expect(ledger.calls).toEqual([]);
  });

  it('returns what the module printed and what it spent', async () => {
    const { tool } = sandboxWith(END);
    expect(await tool.run(input, call)).toEqual({
      output: {
        outcome: 'trapped',
        exit_code: 134,
        stdout: 'hi',
        stderr: '',
        message: 'unreachable',
      },
      used: [{ meter: 'wasm_fuel', quantity: 1_042 }],
      counters: {
        gas_used: 42,
        start_gas: 1_000,
        execution_time_ms: 3.5,
        memory_bytes: 65_536,
      },
    });
  });

  it('is charged for a module that it has read and cannot start', async () => {
    const { tool } = sandboxWith(new TaskError('module_invalid', 'why'));
    await expect(tool.run(input, call)).rejects.toMatchObject({
      code: 'wasm_module_invalid',
      details: { used: [{ meter: 'wasm_fuel', quantity: 10_000_800 }] },
    });
  });
});
