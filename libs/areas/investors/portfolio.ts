import { fromDecimal, type MicroUsd } from '#platform/kernel/money.js';
import { type RigShare } from '#projections/investors/rig-shares.projection.js';

const DAY_MS = 86_400_000;
const YEAR_DAYS = 365;
/** The revenue of this many days gives the yield of a year. */
export const YIELD_DAYS = 30;

/** The price of the held shares. */
export const valuationOf = (held: readonly RigShare[]): MicroUsd =>
  held.reduce((sum, { allocated }) => sum + fromDecimal(allocated.purchasePriceMicroUsd), 0n);

/** For how long a share was held between two instants. */
const heldMs = ({ allocated, endedAt }: RigShare, fromMs: number, toMs: number): number => {
  const begun = Math.max(Date.parse(allocated.allocatedAt), fromMs);
  const ended = Math.min(endedAt === null ? toMs : Date.parse(endedAt), toMs);
  return Math.max(0, ended - begun);
};

/**
 * The net revenue of the last 30 days over the capital that was bound in them, for a year:
 * `net × 365 days / Σ (purchase price × time held) × 100`. Null while no share was held for a day,
 * and where the shares cost nothing.
 */
export const apyPercentOf = (
  shares: readonly RigShare[],
  net: MicroUsd,
  nowMs: number,
): number | null => {
  const fromMs = nowMs - YIELD_DAYS * DAY_MS;
  const times = shares.map((share) => heldMs(share, fromMs, nowMs));
  if (Math.max(0, ...times) < DAY_MS) return null;
  const bound = shares.reduce(
    (sum, { allocated }, index) =>
      sum + fromDecimal(allocated.purchasePriceMicroUsd) * BigInt(times[index] ?? 0),
    0n,
  );
  if (bound === 0n) return null;
  const boundDays = Number(bound) / DAY_MS;
  return (Number(net) * YEAR_DAYS * 100) / boundDays;
};
