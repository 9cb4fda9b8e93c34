import {
  type BoundingBox,
  ObservationDeleted,
  type ObservationEvent,
  ObservationIngested,
} from '#events/observation/observation.events.js';
import { type Projection } from '#platform/kernel/projection.js';

export interface ObservationCollection {
  readonly collection: string;
  readonly items: number;
  readonly bytes: number;
  /** Of all images that were ever in it; null before the first with a place. */
  readonly bbox: BoundingBox | null;
  /** The first and the last instant of an acquisition. */
  readonly from: string;
  readonly to: string;
}

export const collectionKey = (accountId: string, collection: string): string =>
  `${accountId}/${collection}`;

/** An extent over the antimeridian counts from edge to edge. */
const joined = (before: BoundingBox | null, box: BoundingBox): BoundingBox => {
  const [west, south, east, north] = box[0] > box[2] ? [-180, box[1], 180, box[3]] : box;
  if (!before) return [west, south, east, north];
  return [
    Math.min(before[0], west),
    Math.min(before[1], south),
    Math.max(before[2], east),
    Math.max(before[3], north),
  ];
};

/** What do the collections of an account hold: one for each type of sensor? */
export const observationCollections: Projection<ObservationEvent, ObservationCollection> = {
  name: 'observation-collections',
  version: 1,
  on: { ObservationIngested, ObservationDeleted },
  keys: ({ data }) => [collectionKey(data.accountId, data.collection)],
  initial: () => ({ collection: '', items: 0, bytes: 0, bbox: null, from: '', to: '' }),
  project: ({ type, data }, before) => {
    const { collection, acquiredAt, contentBytes } = data;
    if (type === 'ObservationDeleted') {
      const items = before.items - 1;
      return items === 0 ? null : { ...before, items, bytes: before.bytes - contentBytes };
    }
    const box = data.image?.place?.bbox;
    const isFirst = before.items === 0;
    return {
      collection,
      items: before.items + 1,
      bytes: before.bytes + contentBytes,
      bbox: box ? joined(before.bbox, box) : before.bbox,
      from: isFirst || acquiredAt < before.from ? acquiredAt : before.from,
      to: isFirst || acquiredAt > before.to ? acquiredAt : before.to,
    };
  },
};
