import {
  type PlacementEvent,
  PlacementExpired,
  PlacementReleased,
  StagesPlaced,
} from '#events/placement/placement.events.js';
import { type Projection } from '#platform/kernel/projection.js';

export interface Placement extends Omit<StagesPlaced['data'], 'orderId'> {
  readonly status: 'placed' | 'released' | 'expired';
  /** Null for a placement in force. */
  readonly endedAt: string | null;
}

/** Null until the stages are placed. */
export interface PlacementDocument {
  readonly placement: Placement | null;
}

const ID_DIGITS = 16;

/** Of one account, or of all of them. */
export const placementsPrefix = (accountId: string | null): string =>
  accountId === null ? '' : `${accountId}/`;

/** The keys of one account order by id. */
export const placementKey = (accountId: string, placementId: number): string =>
  `${placementsPrefix(accountId)}${String(placementId).padStart(ID_DIGITS, '0')}`;

const ended = (
  { type, data }: Exclude<PlacementEvent, StagesPlaced>,
  placement: Placement,
): Placement => {
  switch (type) {
    case 'PlacementReleased':
      return { ...placement, status: 'released', endedAt: data.releasedAt };
    case 'PlacementExpired':
      return { ...placement, status: 'expired', endedAt: data.expiredAt };
  }
};

/** What has an account placed, where, and until when? */
export const placements: Projection<PlacementEvent, PlacementDocument> = {
  name: 'placements',
  version: 1,
  on: { StagesPlaced, PlacementReleased, PlacementExpired },
  keys: ({ data }) => [placementKey(data.accountId, data.placementId)],
  initial: () => ({ placement: null }),
  project: (event, { placement }) => {
    if (event.type === 'StagesPlaced') {
      const { orderId: _, ...placed } = event.data;
      return { placement: { ...placed, status: 'placed', endedAt: null } };
    }
    return { placement: placement && ended(event, placement) };
  },
};
