import { describe, expect, it } from '@jest/globals';
import { type Clock } from '#platform/kernel/clock.js';
import { FakeLedger } from '#platform/ledger/ledger.fake.js';
import { type PaidOrder } from '#platform/ledger/paid-work/paid-order.js';
import { PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { paidWorkContract } from '#platform/ledger/paid-work/paid-work.contract.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { ToolError } from '#platform/tools/tool.js';
import { type Tools } from '#platform/tools/tools.js';
import { type RegisteredTools } from '../registered-servers/registered-tools.js';
import { MCP_CALL_MS_MAX, ToolCalls, UnknownChargeError } from './tool-calls.js';

const KNOTS = { meter: 'knots', quantity: 5, unitPriceMicroUsd: '2', perUnits: 1 };

const callsOn = (paid: PaidRequests, clock: Clock, work: () => void, rateCardVersion = 3) => {
  const tools = {
    find: () => ({}),
    estimate: () => Promise.resolve({ lines: [KNOTS], rateCardVersion: rateCardVersion || null }),
    run: async () => {
      await Promise.resolve();
      work();
      return { output: 'woven', used: [{ meter: 'knots', quantity: 7 }], counters: {} };
    },
    usedBy: (error: unknown) => (error instanceof ToolError ? (error.details.used ?? []) : []),
  } as unknown as Tools;
  return new ToolCalls(tools, {} as RegisteredTools, paid, clock);
};

const ask = (calls: ToolCalls) => (order: PaidOrder, signal: AbortSignal) =>
  calls.run({ ...order, tool: 'weave', input: {}, signal });

paidWorkContract('calls of tools', {
  requestMsMax: MCP_CALL_MS_MAX,
  open: (paid, clock, work) => Promise.resolve(ask(callsOn(paid, clock, work))),
});

describe('a call of a tool', () => {
  const open = (rateCardVersion?: number, work: () => void = () => undefined) => {
    const ledger = new FakeLedger();
    const clock = { now: () => 1_000 };
    const paid = new PaidRequests(ledger, { settleMsMax: 1_000 }, clock);
    const calls = callsOn(paid, clock, work, rateCardVersion);
    const context = contextOf('01996f4e-0000-7000-8000-000000000001', 'user:7');
    const order = { accountId: '7', receivedAtMs: 1_000, context };
    return { ledger, run: () => ask(calls)(order, new AbortController().signal) };
  };

  it('is charged at most its hold; the excess is recorded', async () => {
    const { ledger, run } = open();
    await run();
    expect(ledger.captured).toMatchObject({
      purpose: 'mcp_tool_call',
      lines: [KNOTS],
      excess: [{ meter: 'knots', quantity: 2 }],
      evidence: { tool: 'weave' },
    });
  });

  it.each([
    [
      'is charged for its usage before it failed',
      [{ meter: 'knots', quantity: 2 }],
      'capture completed',
    ],
    ['is free when it failed before any work', [], 'release upstream_failed'],
  ] as const)('%s', async (_, used, end) => {
    const { ledger, run } = open(3, () => {
      throw new ToolError('torn', 'the cord is torn', { used });
    });
    await expect(run()).rejects.toMatchObject({ code: 'torn' });
    expect(ledger.calls.at(-1)).toBe(end);
    if (used.length > 0) expect(ledger.captured.lines).toMatchObject(used);
  });

  it('says that its charge is not known when it cannot be written', async () => {
    const { ledger, run } = open();
    ledger.failures.capture = new Error('the log is away');
    await expect(run()).rejects.toThrow(UnknownChargeError);
  });

  it('holds nothing for a tool that is free', async () => {
    const { ledger, run } = open(0);
    expect(await run()).toMatchObject({ output: 'woven' });
    expect(ledger.calls).toEqual([]);
  });
});
