import {
  type GuardedTexts,
  type GuardHit,
  GuardHitsRecorded,
} from '#events/guards/guard.events.js';
import { type Projection } from '#platform/kernel/projection.js';

/** The matches of a rule of the operator in one side of a request. No text is known here. */
export interface GuardedSide extends GuardHit {
  readonly on: GuardedTexts['on'];
}

export interface GuardedRequest {
  readonly hits: readonly GuardedSide[];
}

/** The guarded requests of an account. */
export const guardedPrefix = (accountId: string): string => `${accountId}/`;

export const guardedKey = (accountId: string, requestId: string): string =>
  `${guardedPrefix(accountId)}${requestId}`;

/** Lines of batches, jobs and calls of tools have no hold, and so no request of their own. */
const keyOf = ({ accountId, holdId }: GuardedTexts): readonly string[] =>
  holdId === null ? [] : [guardedKey(accountId, holdId)];

/** A side that is read again, as the texts of a part of it are, adds to its matches. */
const added = (hits: readonly GuardedSide[], hit: GuardedSide): readonly GuardedSide[] => {
  const isSame = ({ rule, on }: GuardedSide): boolean => rule === hit.rule && on === hit.on;
  const before = hits.find(isSame);
  if (!before) return [...hits, hit];
  const sum = {
    ...hit,
    matches: before.matches + hit.matches,
    hasFailed: before.hasFailed || hit.hasFailed,
  };
  return hits.map((one) => (one === before ? sum : one));
};

/** Which rules of the operator had matches in a request and in its answer? */
export const guardedRequests: Projection<GuardHitsRecorded, GuardedRequest> = {
  name: 'guarded-requests',
  version: 1,
  on: { GuardHitsRecorded },
  keys: ({ data: { texts } }) => [...new Set(texts.flatMap(keyOf))],
  initial: () => ({ hits: [] }),
  project: ({ data: { texts } }, { hits }, key) => ({
    hits: texts
      .filter((text) => keyOf(text).includes(key))
      .flatMap(({ on, hits: found }) => found.map((hit) => ({ ...hit, on })))
      .reduce(added, hits),
  }),
};
