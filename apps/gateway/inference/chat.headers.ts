import { type LedgerEntry } from '#platform/ledger/hold.js';
import { toUsd } from '#platform/kernel/money.js';

/** One attempt at one rig, in milliseconds from the start of routing. */
interface RigTime {
  readonly startedMs: number;
  readonly endedMs: number;
}

/** The measured milliseconds of a request in the gateway, without the rig. */
const overheadMs = (startedAt: number, attempts: readonly RigTime[]): number => {
  const atRigs = attempts.reduce((sum, { startedMs, endedMs }) => sum + endedMs - startedMs, 0);
  return Math.max(0, performance.now() - startedAt - atRigs);
};

/** The route of the answer, known before its first byte. */
export const routeHeaders = (
  startedAt: number,
  { rig, attempts }: { readonly rig: string | null; readonly attempts: readonly RigTime[] },
): Record<string, string> => ({
  ...(rig !== null && { 'x-quipu-rig': rig }),
  'x-quipu-attempts': String(attempts.length),
  'x-quipu-overhead-ms': overheadMs(startedAt, attempts).toFixed(3),
});

/** The cost of the answer and its log position, known when the charge is durable. */
export const costHeaders = ({
  eventId,
  chargedMicroUsd,
  availableMicroUsd,
}: LedgerEntry): Record<string, string> => ({
  'x-quipu-cost-usd': toUsd(chargedMicroUsd).toFixed(6),
  'x-quipu-available-usd': toUsd(availableMicroUsd).toFixed(6),
  'x-quipu-event-id': eventId,
});
