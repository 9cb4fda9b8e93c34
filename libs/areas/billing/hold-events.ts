import { HoldCaptured, HoldPlaced } from '#events/billing/account.events.js';
import { addLabels, type PriceLine, type ProductGroup } from '#events/hold.vocabulary.js';
import { type MicroUsd, toDecimal } from '#platform/kernel/money.js';
import { type Writable } from '#platform/kernel/writable.js';
import { type Capture, type HoldOrder } from '#platform/ledger/hold.js';
import { type AccountState, type OpenHold } from './account.state.js';
import { bookedFor } from './booking.js';

/**
 * The two events of every request that is charged. Their fields are assigned in the order of the
 * log: a spread for each optional field takes several times as long.
 */

/** An order, with the group of its product and whether the product counts per minute. */
export type GroupedOrder = HoldOrder & { readonly group: ProductGroup; readonly paced?: boolean };

/** @param isPaced whether it counts against a limit per minute */
export const holdPlaced = (
  order: GroupedOrder,
  lines: readonly PriceLine[],
  amount: MicroUsd,
  { available }: AccountState,
  isPaced: boolean,
): HoldPlaced => {
  const { accountId, holdId, purpose, model, mode } = order;
  const data = { accountId, holdId, purpose } as Writable<HoldPlaced['data']>;
  if (model !== undefined) data.model = model;
  data.lines = [...lines];
  data.rateCardVersion = order.rateCardVersion;
  data.evidence = order.evidence;
  data.placedAt = order.placedAt;
  data.expiresAt = order.expiresAt;
  if (mode !== undefined) data.mode = mode;
  addLabels(data, order);
  data.group = order.group;
  if (isPaced) data.paced = true;
  data.amountMicroUsd = toDecimal(amount);
  data.availableMicroUsd = toDecimal(available - amount);
  return HoldPlaced.of(data);
};

export const holdCaptured = (
  capture: Capture,
  hold: OpenHold,
  amount: MicroUsd,
  state: AccountState,
): HoldCaptured => {
  const { model = hold.model, jobId, bytesOut, firstByteMs, capturedAt } = capture;
  const data = { placedAt: hold.placedAt } as Writable<HoldCaptured['data']>;
  if (hold.mode !== undefined) data.mode = hold.mode;
  if (model !== undefined) data.model = model;
  addLabels(data, hold);
  data.accountId = capture.accountId;
  data.holdId = capture.holdId;
  data.purpose = capture.purpose;
  data.rig = capture.rig;
  data.lines = capture.lines;
  data.excess = capture.excess;
  data.usageSource = capture.usageSource;
  data.outcome = capture.outcome;
  data.evidence = capture.evidence;
  if (jobId !== undefined) data.jobId = jobId;
  if (bytesOut !== undefined) data.bytesOut = bytesOut;
  if (firstByteMs !== undefined) data.firstByteMs = firstByteMs;
  data.capturedAt = capturedAt;
  data.group = hold.group;
  data.rateCardVersion = hold.rateCardVersion;
  const released = hold.amount - amount;
  data.amountMicroUsd = toDecimal(amount);
  data.releasedMicroUsd = toDecimal(released);
  data.availableMicroUsd = toDecimal(state.available + released);
  const { bookedIn } = bookedFor(capturedAt, state);
  if (bookedIn !== undefined) data.bookedIn = bookedIn;
  return HoldCaptured.of(data);
};
