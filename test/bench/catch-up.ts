import { setTimeout as delay } from 'node:timers/promises';
import { OPERATIONS_TOKEN } from './quipu.peer.js';

/** How far the projections were behind when the load ended, and how long they took to come up. */
export interface Lag {
  /** Of the projection that is furthest behind: the log's head less its position. */
  readonly lagPositions: number;
  /** How long the oldest event that is missing from a projection had waited. */
  readonly lagMs: number;
  readonly catchUpMs: number;
}

/** Of a peer that keeps no books. */
export const NO_LAG: Lag = {
  lagPositions: Number.NaN,
  lagMs: Number.NaN,
  catchUpMs: Number.NaN,
};

const POLL_MS = 20;
/** A projector that needs longer has stopped. */
const CATCH_UP_MS_MAX = 600_000;

interface Readiness {
  readonly projections: readonly { readonly lag: string; readonly lagMs: number }[];
}

/** The lag, by the process that runs the projections; undefined when it cannot tell now. */
const lagNow = async (readyUrl: string): Promise<Omit<Lag, 'catchUpMs'> | undefined> => {
  const headers = { authorization: `Bearer ${OPERATIONS_TOKEN}` };
  const answer = await fetch(readyUrl, { headers });
  const { projections } = (await answer.json()) as Readiness;
  if (projections.length === 0) return undefined;
  return {
    lagPositions: Math.max(...projections.map(({ lag }) => Number(lag))),
    lagMs: Math.max(...projections.map(({ lagMs }) => lagMs)),
  };
};

/**
 * Call it when the load has ended. Resolves when every projection shows all that was written.
 * @throws when one does not
 */
export const catchUp = async (readyUrl: string): Promise<Lag> => {
  const endedAtMs = performance.now();
  let atEnd: Omit<Lag, 'catchUpMs'> | undefined;
  for (;;) {
    const lag = await lagNow(readyUrl);
    const catchUpMs = performance.now() - endedAtMs;
    atEnd ??= lag;
    if (atEnd && lag?.lagPositions === 0) return { ...atEnd, catchUpMs };
    if (catchUpMs > CATCH_UP_MS_MAX) throw new Error(`${readyUrl}: projections do not catch up`);
    await delay(POLL_MS);
  }
};
