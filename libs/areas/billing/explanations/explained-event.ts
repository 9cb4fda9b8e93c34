import { type AccountEvent } from '#events/billing/account.events.js';
import { type RecordedEvent } from '#platform/event-store/event-store.port.js';
import { fromDecimal, type MicroUsd } from '#platform/kernel/money.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';

/** An event of an account, as the log has it. */
export interface ExplainedEvent {
  readonly eventId: string;
  readonly position: bigint;
  readonly revision: bigint;
  readonly recordedAt: string;
  readonly event: AccountEvent;
  /** Deposits less charges less open holds; null for an event that moves no money. */
  readonly availableBefore: MicroUsd | null;
  readonly availableAfter: MicroUsd | null;
}

/** @param recorded of the stream of an account */
export const explainedEvent = (
  codec: Pick<EventCodec, 'revive'>,
  recorded: RecordedEvent,
): ExplainedEvent => {
  const event = codec.revive(recorded) as AccountEvent;
  const { id: eventId, position, revision, recordedAt } = recorded;
  return { eventId, position, revision, recordedAt, event, ...balanceAround(event) };
};

const balanceAround = (
  event: AccountEvent,
): Pick<ExplainedEvent, 'availableBefore' | 'availableAfter'> => {
  const { data } = event;
  if (!('availableMicroUsd' in data)) return { availableBefore: null, availableAfter: null };
  const availableAfter = fromDecimal(data.availableMicroUsd);
  return { availableBefore: availableAfter - freedBy(event), availableAfter };
};

/** By how much an event makes the available amount larger. */
const freedBy = ({ type, data }: AccountEvent): MicroUsd => {
  if (!('amountMicroUsd' in data)) return 0n;
  if ('releasedMicroUsd' in data) return fromDecimal(data.releasedMicroUsd);
  const amount = fromDecimal(data.amountMicroUsd);
  return type === 'HoldPlaced' || type === 'HoldRenewed' ? -amount : amount;
};
