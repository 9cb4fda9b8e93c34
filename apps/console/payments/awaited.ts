import { useEffect } from 'preact/hooks';
import { refreshes } from '../shell/answer.js';
import { asOf } from '../shell/location.js';

/** Of an invoice whose payment the chain may still show. */
const AWAITED = new Set(['pending', 'detected', 'confirming', 'underpaid']);
const READ_AGAIN_MS = 5_000;

/**
 * Reads the page again while a payment is awaited: it comes from the chain, and not by a write.
 * @param statuses of the shown invoices
 */
export const useAwaited = (statuses: readonly string[]): boolean => {
  const isAwaited = asOf.value === undefined && statuses.some((status) => AWAITED.has(status));
  useEffect(() => {
    if (!isAwaited) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) refreshes.value += 1;
    }, READ_AGAIN_MS);
    return () => clearInterval(timer);
  }, [isAwaited]);
  return isAwaited;
};
