import {
  ObservationDeleted,
  type ObservationEvent,
  ObservationIngested,
} from '#events/observation/observation.events.js';
import { type Projection } from '#platform/kernel/projection.js';

export type Observation = ObservationIngested['data'];

/** Null before its ingest. */
export interface ObservationDocument {
  readonly observation: Observation | null;
}

export const observationsPrefix = (accountId: string): string => `${accountId}/`;

/** The keys of one account order by the instant of the acquisition. */
export const observationKey = ({
  accountId,
  acquiredAt,
  ingestId,
}: Pick<Observation, 'accountId' | 'acquiredAt' | 'ingestId'>): string =>
  `${observationsPrefix(accountId)}${acquiredAt}/${ingestId}`;

/** Which images has an account? */
export const observations: Projection<ObservationEvent, ObservationDocument> = {
  name: 'observation-images',
  version: 1,
  on: { ObservationIngested, ObservationDeleted },
  keys: ({ data }) => [observationKey(data)],
  initial: () => ({ observation: null }),
  project: ({ type, data }) => (type === 'ObservationIngested' ? { observation: data } : null),
};
