import {
  ObservationDeleted,
  type ObservationEvent,
  ObservationIngested,
} from '#events/observation/observation.events.js';
import { type Decider } from '#platform/kernel/decider.js';
import { type Observation } from '#projections/observation/observations.projection.js';
import { reject } from './observation.errors.js';

export type ObservationCommand =
  | { readonly type: 'IngestObservation'; readonly data: ObservationIngested['data'] }
  | {
      readonly type: 'DeleteObservation';
      readonly data: { readonly accountId: string; readonly deletedAt: string };
    };

/** An image that is there, or the last one that was deleted; null before the first event. */
export type ObservationState = {
  readonly observation: Observation;
  readonly isDeleted: boolean;
} | null;

const decide = (
  { type, data }: ObservationCommand,
  state: ObservationState,
): ObservationEvent[] => {
  const stored = state?.isDeleted === false ? state.observation : null;
  switch (type) {
    case 'IngestObservation':
      // The same content again is the same image.
      return stored ? [] : [ObservationIngested.of(data)];
    case 'DeleteObservation': {
      if (stored?.accountId !== data.accountId) {
        return reject('observation_not_found', 'there is no such observation');
      }
      const { ingestId, accountId, acquiredAt, collection, contentBytes } = stored;
      const { deletedAt } = data;
      const ids = { ingestId, accountId, acquiredAt, collection, contentBytes };
      return [ObservationDeleted.of({ ...ids, deletedAt })];
    }
  }
};

const evolve = (state: ObservationState, { type, data }: ObservationEvent): ObservationState => {
  switch (type) {
    case 'ObservationIngested':
      return { observation: data, isDeleted: false };
    case 'ObservationDeleted':
      return state && { ...state, isDeleted: true };
  }
};

export const observationDecider: Decider<ObservationCommand, ObservationState, ObservationEvent> = {
  initialState: null,
  decide,
  evolve,
};
