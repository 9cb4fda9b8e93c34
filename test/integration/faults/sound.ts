import { expect } from '@jest/globals';
import { type AccountEvent, type HoldCaptured } from '#events/billing/account.events.js';
import { type RecordedEvent } from '#platform/event-store/event-store.port.js';
import { accountOverview } from '#projections/billing/account-overview.projection.js';
import { type Member } from '../../end-to-end/fleet.harness.js';
import { eventually } from '../../end-to-end/quipu.harness.js';
import { auditOf, openHoldsOf, wholeAnswersChargedTwice } from '../../fault/ledger-of-log.js';
import { type FleetUnderFault } from './fleet-under-fault.harness.js';
import { type Attempt, type Load } from './load.js';

/**
 * The invariants after any fault: no acknowledged charge is lost, nothing is charged twice or after
 * a failure, the ledger balances, no hold is open, and gateways answer with the fold of the log.
 */
export const expectSound = async (fleet: FleetUnderFault, load: Load): Promise<void> => {
  await noHoldIsLeftOpen(fleet);
  const events = await fleet.events();
  const charges = events.filter(({ type }) => type === 'HoldCaptured');
  expect(lostOf(load.answered, charges)).toEqual([]);
  expect(wholeAnswersChargedTwice(events)).toEqual([]);
  expect(chargedFailures(load.failed, charges)).toEqual([]);
  expect(auditOf(events).faults).toEqual([]);
  expect(await fleet.quipu('ledger', 'check')).toMatchObject({ balanced: true, faults: [] });
  for (const gateway of fleet.gateways) {
    expect(await overviewAt(gateway, fleet)).toMatchObject(foldOf(accountEventsOf(events)));
  }
};

/**
 * A gateway reports an unavailable server as a temporary failure or a time-out, never as its own
 * defect.
 */
export const expectHonestFailures = (load: Load): void => {
  const unexpected = load.failed.filter(
    ({ status, code }) =>
      status !== null && (code === null || ![200, 409, 502, 503, 504].includes(status)),
  );
  expect(unexpected).toEqual([]);
};

const lostOf = (answered: readonly Attempt[], charges: readonly RecordedEvent[]) => {
  const kept = new Set(charges.map(({ id }) => id));
  return answered.filter(({ eventId }) => eventId !== null && !kept.has(eventId));
};

const NOT_KNOWN = 'unknown_outcome';

/** Failed requests with a charge. A caller pays for a failure only if the outcome is unknown. */
const chargedFailures = (failed: readonly Attempt[], charges: readonly RecordedEvent[]) => {
  const charged = new Set(charges.map(({ metadata }) => metadata.requestId));
  return failed.filter(
    ({ status, code, requestId }) =>
      status !== 200 && code !== NOT_KNOWN && requestId !== null && charged.has(requestId),
  );
};

const accountEventsOf = (events: readonly RecordedEvent[]): readonly AccountEvent[] =>
  events
    .filter(({ stream }) => stream.startsWith('account-'))
    .map(({ type, data }) => ({ type, data }) as AccountEvent);

const noHoldIsLeftOpen = (fleet: FleetUnderFault): Promise<void> =>
  eventually(async () => openHoldsOf(await fleet.events()) === 0);

/** Retries while the gateway answers that its read models are behind. */
const overviewAt = async ({ url }: Member, { credentials }: FleetUnderFault): Promise<unknown> => {
  const headers = { authorization: `Bearer ${credentials.api_key}` };
  const ask = () => fetch(`${url}/api/v1/billing/overview.php`, { headers });
  let response = await ask();
  await eventually(async () => {
    if (response.status === 503) response = await ask();
    return response.status !== 503;
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return response.json();
};

const usd = (microUsd: string): number => Number(microUsd) / 1_000_000;

/** The account overview of HTTP, folded from the log. There is one account. */
const foldOf = (events: readonly AccountEvent[]): object => {
  const [accountId = ''] = events.map(({ data }) => data.accountId);
  const nothing = accountOverview.initial(accountId);
  const folded = events.reduce(
    (document, event) => accountOverview.project(event, document, accountId) ?? nothing,
    nothing,
  );
  const charged = events
    .filter((event): event is HoldCaptured => event.type === 'HoldCaptured')
    .reduce((sum, { data }) => sum + Number(data.amountMicroUsd), 0);
  return {
    available_usd: usd(folded.available),
    held_usd: usd(folded.held),
    balance_usd: usd(String(Number(folded.deposited) - charged)),
    telemetry: {
      active_compute_jobs: folded.openHolds,
      total_inference_spend: usd(folded.charged.inference),
      lifetime_deposited: usd(folded.deposited),
    },
  };
};
