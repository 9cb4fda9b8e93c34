import { describe, expect, it } from '@jest/globals';
import { DomainError } from '#platform/kernel/domain-error.js';
import { anyContext } from '#platform/runtime/stock.fixture.js';
import { RunFunds } from './run-funds.js';
import { StartRunCommand, StartRunHandler } from './start-run.handler.js';
import { node, started } from './workflow-run.fixture.js';

const { plan, definition } = started(node('a')).data;
const clock = { now: () => Date.parse('2026-03-01T09:00:00.000Z') };

/** An area with one workflow, and blobs that remember who needs them. */
const open = (place: () => Promise<void>) => {
  const held = new Set<string>();
  const remember = (address: string, holder: string) => {
    held.add(`${address} ${holder}`);
    return Promise.resolve({ address, bytes: 100 });
  };
  const blobs = {
    keep: (_account: string, { address }: { address: string }, holder: string) =>
      remember(address, holder),
    put: (_account: string, _value: unknown, holder: string) => remember('cd'.repeat(32), holder),
    release: (_account: string, { address }: { address: string }, holder: string) => {
      held.delete(`${address} ${holder}`);
      return Promise.resolve();
    },
  };
  const workflow = { version: { version: 1, plan, definition }, document: { inputs: {} } };
  const streams = {
    runOf: () => Promise.resolve({ status: 'absent' }),
    onRun: () => Promise.resolve({}),
  };
  const processes = { place };
  const handler = new StartRunHandler(
    { execute: () => Promise.resolve(workflow) } as never,
    streams as never,
    blobs as never,
    { of: () => Promise.resolve({ lines: [], rateCardVersion: 1 }) } as never,
    new RunFunds(processes as never, streams as never, clock),
    processes as never,
    { count: () => Promise.resolve(0) },
    clock,
  );
  const order = { accountId: '7', workflowId: 1, inputs: {}, context: anyContext() };
  const start = () => handler.execute(new StartRunCommand(order as never));
  return { held, start };
};

describe('a run that starts', () => {
  it('keeps its definition and its inputs', async () => {
    const { held, start } = open(() => Promise.resolve());
    await start();
    expect(held.size).toBe(2);
  });

  it('keeps nothing where the account cannot pay', async () => {
    const { held, start } = open(() => Promise.reject(new DomainError('insufficient_balance')));
    await expect(start()).rejects.toMatchObject({ code: 'insufficient_balance' });
    expect(held.size).toBe(0);
  });

  it('keeps its content where it is not known whether it has started', async () => {
    const { held, start } = open(() => Promise.reject(new Error('the log is away')));
    await expect(start()).rejects.toThrow('the log is away');
    expect(held.size).toBe(2);
  });
});
