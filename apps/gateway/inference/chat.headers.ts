import { type Attempt } from '#areas/inference/rigs/route-error.js';
import { type LedgerEntry } from '#platform/ledger/hold.js';
import { toUsd } from '#platform/kernel/money.js';

/** Milliseconds that a request spent here and not at a rig; measured. */
const overheadMs = (startedAt: number, attempts: readonly Attempt[]): number => {
  const atRigs = attempts.reduce((sum, { startedMs, endedMs }) => sum + endedMs - startedMs, 0);
  return Math.max(0, performance.now() - startedAt - atRigs);
};

/** How the answer came about: known before its first byte. */
export const routeHeaders = (
  startedAt: number,
  { rig, attempts }: { readonly rig: string; readonly attempts: readonly Attempt[] },
): Record<string, string> => ({
  'x-quipu-rig': rig,
  'x-quipu-attempts': String(attempts.length),
  'x-quipu-overhead-ms': overheadMs(startedAt, attempts).toFixed(3),
});

/** What the answer cost and where that stands in the log: known once the charge is durable. */
export const costHeaders = ({
  eventId,
  chargedMicroUsd,
  availableMicroUsd,
}: LedgerEntry): Record<string, string> => ({
  'x-quipu-cost-usd': toUsd(chargedMicroUsd).toFixed(6),
  'x-quipu-available-usd': toUsd(availableMicroUsd).toFixed(6),
  'x-quipu-event-id': eventId,
});
