import { type LedgerEntry } from '#platform/ledger/hold.js';
import { toUsd } from '#platform/kernel/money.js';

/** One attempt at one rig, in milliseconds from the start of routing. */
interface RigTime {
  readonly startedMs: number;
  readonly endedMs: number;
}

/** The measured milliseconds of a request in the gateway, without the rig. */
const overheadMs = (startedAt: number, attempts: readonly RigTime[]): number => {
  let atRigs = 0;
  for (const { startedMs, endedMs } of attempts) atRigs += endedMs - startedMs;
  return Math.max(0, performance.now() - startedAt - atRigs);
};

/** The route of the answer, known before its first byte. */
export const routeHeaders = (
  startedAt: number,
  { rig, attempts }: { readonly rig: string | null; readonly attempts: readonly RigTime[] },
): Record<string, string> => {
  const asked = String(attempts.length);
  const overhead = overheadMs(startedAt, attempts).toFixed(3);
  return rig === null
    ? { 'x-quipu-attempts': asked, 'x-quipu-overhead-ms': overhead }
    : { 'x-quipu-rig': rig, 'x-quipu-attempts': asked, 'x-quipu-overhead-ms': overhead };
};

/**
 * The cost of the answer and its log position, known when the charge is durable.
 * @param costMicroUsd of an answer with several charges, of which the entry is the last
 */
export const costHeaders = (
  { eventId, chargedMicroUsd, availableMicroUsd }: LedgerEntry,
  costMicroUsd = chargedMicroUsd,
): Record<string, string> => ({
  'x-quipu-cost-usd': toUsd(costMicroUsd).toFixed(6),
  'x-quipu-available-usd': toUsd(availableMicroUsd).toFixed(6),
  'x-quipu-event-id': eventId,
});
