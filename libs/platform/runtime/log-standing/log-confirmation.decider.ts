import { LogConfirmed, type LostPlace } from '#events/platform/log.events.js';
import { type Decider } from '#platform/kernel/decider.js';

export interface ConfirmLog {
  readonly type: 'ConfirmLog';
  readonly data: LogConfirmed['data'];
}

/** The lost places that an operator has accepted. */
export type ConfirmedPlaces = ReadonlySet<string>;

export const nameOfPlace = ({ reader, position, event }: LostPlace): string =>
  JSON.stringify([reader, position, event]);

export const logConfirmationDecider: Decider<ConfirmLog, ConfirmedPlaces, LogConfirmed> = {
  initialState: new Set(),
  // Each one is an event, also of known places: running processes forget their folds by it.
  decide: ({ data }) => [LogConfirmed.of(data)],
  evolve: (confirmed, { data }) => new Set([...confirmed, ...data.lost.map(nameOfPlace)]),
};
