import { LRUCache } from 'lru-cache';
import {
  StoreUnavailableError,
  UnknownOutcomeError,
} from '#platform/event-store/event-store.errors.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { ContentionError } from '#platform/runtime/commands/command-runner.js';
import { ForeignLogError } from '#platform/runtime/log-standing/log-epoch.js';
import { type ThreadCalls } from '#platform/threads/thread-calls.js';
import {
  type Capture,
  type HoldEnd,
  type HoldOrder,
  type LedgerEntry,
  type LeftHold,
  type PlacedHold,
  type PreviewedHold,
  type Release,
  type Renewal,
} from '../hold.js';
import { Ledger } from '../ledger.port.js';
import { type LedgerAnswer, type LedgerCalls, type LedgerFailure } from './ledger.protocol.js';

/** Accounts whose last balance is remembered. */
const ACCOUNTS_MAX = 20_000;

/**
 * The ledger of another process of this machine. One process decides for all: commands on one
 * account share their appends, whichever process they come from, and none is decided twice because
 * another process was faster.
 */
export class RemoteLedger extends Ledger {
  /** Micro-dollars that the last answer left available. */
  readonly #available = new LRUCache<string, bigint>({ max: ACCOUNTS_MAX });

  constructor(private readonly calls: Pick<ThreadCalls<LedgerCalls, never>, 'call' | 'tell'>) {
    super();
  }

  override demandFunds(accountId: string): void | Promise<void> {
    if ((this.#available.get(accountId) ?? 0n) > 0n) return undefined;
    return resultOf(this.calls.call('demandFunds', accountId));
  }

  override async place(
    order: HoldOrder,
    context: CommandContext,
    signal?: AbortSignal,
  ): Promise<PlacedHold> {
    signal?.throwIfAborted();
    const leave = (): void => this.calls.tell('leave', context.requestId);
    signal?.addEventListener('abort', leave, { once: true });
    try {
      const asked = { change: order, context, waits: signal !== undefined };
      const placed = await resultOf(this.calls.call('place', asked), signal);
      this.#available.set(order.accountId, placed.availableMicroUsd);
      return placed;
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  }

  override async preview(order: HoldOrder): Promise<PreviewedHold> {
    return resultOf(this.calls.call('preview', order));
  }

  override async renew(renewal: Renewal, context: CommandContext): Promise<PlacedHold> {
    return resultOf(this.calls.call('renew', { change: renewal, context }));
  }

  override async capture(capture: Capture, context: CommandContext): Promise<LedgerEntry> {
    const entry = await resultOf(this.calls.call('capture', { change: capture, context }));
    this.#available.set(capture.accountId, entry.availableMicroUsd);
    return entry;
  }

  override async release(release: Release, context: CommandContext): Promise<void> {
    await resultOf(this.calls.call('release', { change: release, context }));
  }

  override async settle(left: LeftHold, context: CommandContext): Promise<HoldEnd> {
    return resultOf(this.calls.call('settle', { change: left, context }));
  }
}

/** @param signal of a caller that may have left */
const resultOf = async <Result>(
  asking: Promise<LedgerAnswer<Result>>,
  signal?: AbortSignal,
): Promise<Result> => {
  const answer = await asking.catch((cause: unknown): never => {
    // The process with the ledger has ended, before or after it appended.
    throw new UnknownOutcomeError('the process with the ledger has ended', { cause });
  });
  if (!('failure' in answer)) return answer.result;
  const { failure } = answer;
  throw failure.kind === 'left' ? signal?.reason : errorOf(failure);
};

const errorOf = (failure: Exclude<LedgerFailure, { readonly kind: 'left' }>): Error => {
  switch (failure.kind) {
    case 'domain':
      return new DomainError(failure.code, failure.detail, failure.metadata);
    case 'contention':
      return new ContentionError(failure.message);
    case 'foreign-log':
      return new ForeignLogError(failure.message);
    case 'unknown-outcome':
      return new UnknownOutcomeError(failure.message);
    case 'store-unavailable':
      return new StoreUnavailableError(failure.message);
    case 'defect':
      return new Error(failure.message);
  }
};
