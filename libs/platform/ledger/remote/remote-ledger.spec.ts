import { MessageChannel } from 'node:worker_threads';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  StoreUnavailableError,
  UnknownOutcomeError,
} from '#platform/event-store/event-store.errors.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type CommandContext, contextOf } from '#platform/runtime/commands/command-context.js';
import { ContentionError } from '#platform/runtime/commands/command-runner.js';
import { ForeignLogError } from '#platform/runtime/log-standing/log-epoch.js';
import { RequestCutError } from '#platform/runtime/commands/request-cut.js';
import { ThreadCalls } from '#platform/threads/thread-calls.js';
import {
  type Capture,
  type HoldOrder,
  type LedgerEntry,
  type PlacedHold,
  type PreviewedHold,
  type Release,
} from '../hold.js';
import { Ledger } from '../ledger.port.js';
import { ledgerAnswers } from './ledger-answers.js';
import { type LedgerCalls } from './ledger.protocol.js';
import { RemoteLedger } from './remote-ledger.js';

const CONTEXT = contextOf('6f1e9a3c-5b0d-4a63-9d53-9a5ab0a1e003', 'spec');
const ORDER: HoldOrder = {
  holdId: '6f1e9a3c-5b0d-4a63-9d53-9a5ab0a1e004',
  accountId: '7',
  purpose: 'inference.chat',
  currency: 'USD',
  lines: [],
  rateCardVersion: 1,
  evidence: {},
  heldAt: '2026-01-01T00:00:00.000Z',
  expiresAt: '2026-01-01T00:10:00.000Z',
  shrink: null,
} as unknown as HoldOrder;
const CAPTURE = { holdId: ORDER.holdId, accountId: '7' } as unknown as Capture;
const RELEASE: Release = {
  holdId: ORDER.holdId,
  accountId: '7',
  reason: 'client_gone',
  releasedAt: '2026-01-01T00:00:01.000Z',
};

/** Answers each method as a spec configures it, or throws the configured error. */
class ScriptedLedger extends Ledger {
  readonly asked: unknown[] = [];
  failure: Error | null = null;
  left = 5n;
  /** Whether a hold waits until its caller leaves. */
  waits = false;
  /** Of the first hold. */
  readonly signal = Promise.withResolvers<AbortSignal | undefined>();

  override async demandFunds(accountId: string): Promise<void> {
    await this.#answer(accountId);
  }

  override async preview(order: HoldOrder): Promise<PreviewedHold> {
    await this.#answer(order);
    return { lines: [], amountMicroUsd: 3n, availableMicroUsd: this.left };
  }

  override place(
    order: HoldOrder,
    context: CommandContext,
    signal?: AbortSignal,
  ): Promise<PlacedHold> {
    this.signal.resolve(signal);
    if (this.waits && signal) return rejectedOn(signal);
    const amountMicroUsd = 3n;
    const { expiresAt } = order;
    const hold = { lines: [], amountMicroUsd, expiresAt, availableMicroUsd: this.left };
    return this.#answer({ order, context }, hold);
  }

  override renew(): Promise<PlacedHold> {
    return Promise.reject(new Error('no spec renews'));
  }

  override capture(capture: Capture): Promise<LedgerEntry> {
    const entry = { eventId: 'e', chargedMicroUsd: 2n, availableMicroUsd: this.left };
    return this.#answer(capture, entry);
  }

  override async release(): Promise<void> {
    await this.#answer('release');
  }

  override settle(): Promise<'charged'> {
    return this.#answer('settle', 'charged' as const);
  }

  #answer<Value>(asked: unknown, value?: Value): Promise<Value> {
    this.asked.push(asked);
    return this.failure ? Promise.reject(this.failure) : Promise.resolve(value as Value);
  }
}

const rejectedOn = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const leave = (): void => {
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', leave);
  });

describe('a ledger in another process', () => {
  const channels: MessageChannel[] = [];
  afterEach(() => {
    for (const { port1 } of channels.splice(0)) port1.close();
  });

  const open = () => {
    const channel = new MessageChannel();
    channels.push(channel);
    const there = new ScriptedLedger();
    new ThreadCalls<Record<string, never>, LedgerCalls>(channel.port2, ledgerAnswers(there));
    const calls = new ThreadCalls<LedgerCalls, Record<string, never>>(channel.port1, {});
    return { there, calls, ledger: new RemoteLedger(calls) };
  };

  it('gives the answers of that ledger', async () => {
    const { ledger, there } = open();
    expect(await ledger.place(ORDER, CONTEXT)).toEqual({
      lines: [],
      amountMicroUsd: 3n,
      expiresAt: ORDER.expiresAt,
      availableMicroUsd: 5n,
    });
    expect(there.asked).toEqual([{ order: ORDER, context: CONTEXT }]);
    expect(await ledger.preview(ORDER)).toMatchObject({ amountMicroUsd: 3n });
    expect(await ledger.capture(CAPTURE, CONTEXT)).toMatchObject({ chargedMicroUsd: 2n });
    await ledger.release(RELEASE, CONTEXT);
    expect(await ledger.settle({ ...RELEASE, notBefore: RELEASE.releasedAt }, CONTEXT)).toBe(
      'charged',
    );
  });

  it('asks for funds until an answer has shown some, and again when none are left', async () => {
    const { ledger, there } = open();
    await ledger.demandFunds('7');
    expect(there.asked).toEqual(['7']);
    await ledger.place(ORDER, CONTEXT);
    expect(ledger.demandFunds('7')).toBeUndefined();
    there.left = 0n;
    await ledger.capture(CAPTURE, CONTEXT);
    await ledger.demandFunds('7');
    expect(there.asked.filter((asked) => asked === '7')).toHaveLength(2);
  });

  it.each([
    [new DomainError('insufficient_balance', 'too little', { reason: 'balance_too_low' })],
    [new ContentionError('account-7 changed 20 times while deciding')],
    [new ForeignLogError('account-7: the log does not have its last event')],
    [new UnknownOutcomeError('the disk is gone')],
    [new StoreUnavailableError('the disk is full')],
    [new Error('a defect')],
  ])('throws the error of that ledger: %s', async (failure) => {
    const { ledger, there } = open();
    there.failure = failure;
    const thrown = await ledger.place(ORDER, CONTEXT).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(failure.constructor);
    expect(thrown).toEqual(failure);
    if (failure instanceof DomainError) {
      const { code, detail, metadata } = failure;
      expect(thrown).toMatchObject({ code, detail, metadata });
    }
  });

  it('has a hold wait there, and ends the wait of a caller that leaves', async () => {
    const { ledger, there } = open();
    there.waits = true;
    const leaving = new AbortController();
    const placing = ledger.place(ORDER, CONTEXT, leaving.signal);
    expect(await there.signal.promise).toMatchObject({ aborted: false });
    leaving.abort(new RequestCutError('client_gone'));
    await expect(placing).rejects.toBe(leaving.signal.reason);
  });

  it('does not wait there for a caller without a signal', async () => {
    const { ledger, there } = open();
    await ledger.place(ORDER, CONTEXT);
    expect(await there.signal.promise).toBeUndefined();
  });

  it('leaves the outcome unknown when that process ends', async () => {
    const { ledger, calls } = open();
    const placing = ledger.place(ORDER, CONTEXT);
    calls.end('the process ended');
    await expect(placing).rejects.toBeInstanceOf(UnknownOutcomeError);
  });
});
