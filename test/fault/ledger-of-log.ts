import { LedgerAudit } from '#areas/billing/ledger-audit.js';
import { type AccountEvent, type HoldCaptured } from '#events/billing/account.events.js';
import { type RecordedEvent } from '#platform/event-store/event-store.port.js';

/** The accounts in the log, folded without the program that wrote it. */
export const auditOf = (events: readonly RecordedEvent[]): LedgerAudit => {
  const audit = new LedgerAudit();
  for (const { stream, type, data, position } of events) {
    if (stream.startsWith('account-')) audit.take({ type, data } as AccountEvent, position);
  }
  return audit;
};

/** Of all accounts. */
export const openHoldsOf = (events: readonly RecordedEvent[]): number =>
  [...auditOf(events).accounts.values()].reduce((sum, { holds }) => sum + holds.size, 0);

/**
 * The ids of charges for one prompt, where there are several for a whole answer. For logs in which
 * every order has its own prompt: one key may have sent it many times, and at most one whole answer
 * is charged. A caller that received a part of an answer pays for that part.
 */
export const wholeAnswersChargedTwice = (
  events: readonly RecordedEvent[],
): readonly (readonly string[])[] => {
  const whole = events
    .filter(({ type }) => type === 'HoldCaptured')
    .map(({ id, data }) => ({ id, ...(data as HoldCaptured['data']) }))
    .filter(({ outcome }) => outcome === 'completed');
  const byPrompt = Map.groupBy(whole, ({ evidence }) => evidence['promptHash']);
  return [...byPrompt.values()]
    .filter((charged) => charged.length > 1)
    .map((charged) => charged.map(({ id }) => id));
};
