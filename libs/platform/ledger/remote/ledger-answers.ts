import {
  StoreUnavailableError,
  UnknownOutcomeError,
} from '#platform/event-store/event-store.errors.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { ContentionError } from '#platform/runtime/commands/command-runner.js';
import { ForeignLogError } from '#platform/runtime/log-standing/log-epoch.js';
import { type Ledger } from '../ledger.port.js';
import { type LedgerAnswer, type LedgerCalls, type LedgerFailure } from './ledger.protocol.js';

/** The answers of the process with the ledger to processes that send it their changes. */
export const ledgerAnswers = (ledger: Ledger): LedgerCalls => ({
  ...placing(ledger),
  demandFunds: (accountId) => answerOf(async () => ledger.demandFunds(accountId)),
  preview: (order) => answerOf(() => ledger.preview(order)),
  renew: ({ change, context }) => answerOf(() => ledger.renew(change, context)),
  capture: ({ change, context }) => answerOf(() => ledger.capture(change, context)),
  release: ({ change, context }) => answerOf(() => ledger.release(change, context)),
  settle: ({ change, context }) => answerOf(() => ledger.settle(change, context)),
});

const placing = (ledger: Ledger): Pick<LedgerCalls, 'place' | 'leave'> => {
  /** Of callers that wait, by the id of their request. */
  const waiting = new Map<string, AbortController>();
  return {
    place: async ({ change, context, waits }) => {
      if (!waits) return answerOf(() => ledger.place(change, context));
      const { requestId } = context;
      const caller = new AbortController();
      waiting.set(requestId, caller);
      try {
        return await answerOf(() => ledger.place(change, context, caller.signal));
      } finally {
        if (waiting.get(requestId) === caller) waiting.delete(requestId);
      }
    },
    leave: (requestId) => waiting.get(requestId)?.abort(new CallerLeftError()),
  };
};

class CallerLeftError extends Error {
  override readonly name = 'CallerLeftError';
}

const answerOf = async <Result>(work: () => Promise<Result>): Promise<LedgerAnswer<Result>> => {
  try {
    return { result: await work() };
  } catch (error) {
    return { failure: failureOf(error) };
  }
};

const failureOf = (error: unknown): LedgerFailure => {
  if (error instanceof DomainError) {
    const { code, detail, metadata } = error as DomainError;
    return { kind: 'domain', code, detail, metadata };
  }
  if (error instanceof CallerLeftError) return { kind: 'left' };
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ContentionError) return { kind: 'contention', message };
  if (error instanceof ForeignLogError) return { kind: 'foreign-log', message };
  if (error instanceof UnknownOutcomeError) return { kind: 'unknown-outcome', message };
  if (error instanceof StoreUnavailableError) return { kind: 'store-unavailable', message };
  return { kind: 'defect', message };
};
