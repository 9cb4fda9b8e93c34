import { DomainError } from '#platform/kernel/domain-error.js';
import { type HoldPace, type LedgerEntry, type Release } from '#platform/ledger/hold.js';
import { RequestCutError } from '#platform/runtime/commands/request-cut.js';
import { type Usage } from '#platform/chats/chat-usage.js';

/** How an answer ended. The charge, if there is one, is durable. */
export interface SwarmEnd<Report> {
  readonly usage: Usage;
  readonly finishReason: 'stop' | 'length';
  /** Null where nothing was delivered and nothing charged. */
  readonly entry: LedgerEntry | null;
  /** Why the answer ended before its time, or null. */
  readonly cut: RequestCutError | null;
  readonly report: Report;
}

/** Texts that join to the answer; their end comes after the charge. */
export type SwarmTexts<Report> = AsyncGenerator<string, SwarmEnd<Report>, void>;

/** An answer whose first text has come. Read it to the end or dispose of it. */
export interface SwarmStream<Report> {
  /** The rig that writes it; null where no rig of the catalog does. */
  readonly rig: string | null;
  readonly attempts: number;
  readonly pace?: HoldPace;
  readonly texts: SwarmTexts<Report>;
}

/** A whole answer that has been paid for. */
export interface SwarmAnswer<Report> extends SwarmEnd<Report> {
  readonly text: string;
  readonly entry: LedgerEntry;
}

/** @throws RequestCutError for an answer that was cut */
export const wholeAnswer = async <Report>({
  texts,
}: Pick<SwarmStream<Report>, 'texts'>): Promise<SwarmAnswer<Report>> => {
  let text = '';
  let next = await texts.next();
  for (; !next.done; next = await texts.next()) text += next.value;
  const { entry, cut } = next.value;
  if (cut) throw cut;
  if (!entry) throw new Error('an answer that is whole was not charged');
  return { ...next.value, entry, text };
};

/** Why the hold of work that failed is released. */
export const releaseReason = (error: unknown): Release['reason'] => {
  if (error instanceof RequestCutError) return error.reason;
  return error instanceof DomainError ? 'refused' : 'upstream_failed';
};

/**
 * Reads the first text, so that what fails before it becomes the status of the answer. Not an async
 * generator function: one that was never started skips its `finally`, which ends the hold.
 */
export const startTexts = async <Report>(
  texts: SwarmTexts<Report>,
): Promise<SwarmTexts<Report>> => {
  let first: IteratorResult<string, SwarmEnd<Report>> | null = await texts.next();
  const started: SwarmTexts<Report> = {
    next: () => {
      if (!first) return texts.next();
      const taken = first;
      first = null;
      return Promise.resolve(taken);
    },
    return: (end) => texts.return(end),
    throw: (error) => texts.throw(error),
    [Symbol.asyncIterator]: () => started,
    [Symbol.asyncDispose]: () => texts[Symbol.asyncDispose](),
  };
  return started;
};
