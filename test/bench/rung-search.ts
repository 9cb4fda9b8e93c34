/** A load that was tried: how many connections, and how it went. */
export interface Rung {
  readonly connections: number;
  readonly requestsPerSecond: number;
  readonly p99Ms: number;
  readonly stalled: number;
  readonly failures: number;
}

/** True of the loads that a reader of the figure accepts. */
export type Condition = (rung: Rung) => boolean;

export interface Ladder {
  readonly conditions: readonly Condition[];
  readonly first: number;
  readonly max: number;
}

/** Closer than this share of the load that holds, a search says no more than another run would. */
const GAP_MIN = 0.25;

export const p99Within =
  (boundMs: number): Condition =>
  ({ p99Ms, failures }) =>
    failures === 0 && p99Ms <= boundMs;

/** A window in which no stream ends shows nothing. */
export const withoutStall: Condition = ({ requestsPerSecond, stalled, failures }) =>
  requestsPerSecond > 0 && failures === 0 && stalled === 0;

const most = (rungs: readonly Rung[]): Rung | undefined =>
  rungs.reduce<Rung | undefined>(
    (best, rung) => (best && best.connections > rung.connections ? best : rung),
    undefined,
  );

/** Half-way between the largest load that holds and the next one that was tried. */
const between = (rungs: readonly Rung[], holds: Condition): number | undefined => {
  const holding = most(rungs.filter(holds))?.connections;
  if (holding === undefined) return undefined;
  const above = rungs.map(({ connections }) => connections).filter((tried) => tried > holding);
  const gap = Math.min(...above) - holding;
  return Number.isFinite(gap) && gap > Math.max(1, holding * GAP_MIN)
    ? holding + Math.floor(gap / 2)
    : undefined;
};

/**
 * The load to try next; undefined when the search is over. Loads double while any condition holds,
 * then each condition halves the gap above the largest load at which it holds: two more tries each,
 * at most.
 */
export const nextConnections = (
  rungs: readonly Rung[],
  { conditions, first, max }: Ladder,
): number | undefined => {
  const top = most(rungs);
  if (!top) return first;
  const doubled = top.connections * 2;
  if (doubled <= max && conditions.some((holds) => holds(top))) return doubled;
  return conditions.map((holds) => between(rungs, holds)).find((next) => next !== undefined);
};

/** The tried load that holds and answers most; undefined if none holds. */
export const bestOf = (rungs: readonly Rung[], holds: Condition): Rung | undefined =>
  rungs
    .filter(holds)
    .reduce<Rung | undefined>(
      (best, rung) => (best && best.requestsPerSecond > rung.requestsPerSecond ? best : rung),
      undefined,
    );

/** The largest tried load that holds; undefined if none holds. */
export const largestOf = (rungs: readonly Rung[], holds: Condition): Rung | undefined =>
  most(rungs.filter(holds));
