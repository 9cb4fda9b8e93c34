import {
  StoreUnavailableError,
  UnknownOutcomeError,
} from '#platform/event-store/event-store.errors.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { ContentionError } from '#platform/runtime/command-runner.js';
import { type Ledger } from '../ledger.port.js';
import { type LedgerAnswer, type LedgerCalls, type LedgerFailure } from './ledger.protocol.js';

/** What the process with the ledger answers to processes that send it their changes. */
export const ledgerAnswers = (ledger: Ledger): LedgerCalls => ({
  demandFunds: (accountId) => answerOf(async () => ledger.demandFunds(accountId)),
  place: ({ change, context }) => answerOf(() => ledger.place(change, context)),
  renew: ({ change, context }) => answerOf(() => ledger.renew(change, context)),
  capture: ({ change, context }) => answerOf(() => ledger.capture(change, context)),
  release: ({ change, context }) => answerOf(() => ledger.release(change, context)),
  settle: ({ change, context }) => answerOf(() => ledger.settle(change, context)),
});

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
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ContentionError) return { kind: 'contention', message };
  if (error instanceof UnknownOutcomeError) return { kind: 'unknown-outcome', message };
  if (error instanceof StoreUnavailableError) return { kind: 'store-unavailable', message };
  return { kind: 'defect', message };
};
