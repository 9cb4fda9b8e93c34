import {
  ObservationDeleted,
  type ObservationEvent,
  ObservationIngested,
} from '#events/observation/observation.events.js';
import { type Saga } from '#platform/kernel/saga.js';

export interface SettleObservation {
  readonly type: 'SettleObservation';
  readonly data: { readonly ingestId: string };
}

/** Keeps the bytes of an image from its ingest to its deletion. */
export const observationContentSaga: Saga<ObservationEvent, object, SettleObservation> = {
  name: 'observation-content',
  on: { ObservationIngested, ObservationDeleted },
  key: ({ data }) => data.ingestId,
  initialState: {},
  evolve: (state, { type }) => (type === 'ObservationDeleted' ? null : state),
  react: ({ data: { ingestId } }) => [
    { kind: 'command', command: { type: 'SettleObservation', data: { ingestId } } },
  ],
};
