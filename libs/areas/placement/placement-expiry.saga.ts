import {
  type PlacementEvent,
  PlacementExpired,
  PlacementReleased,
  StagesPlaced,
} from '#events/placement/placement.events.js';
import { type Saga, type SagaAction } from '#platform/kernel/saga.js';

/** Ends a placement whose time has passed. */
interface ExpirePlacement {
  readonly type: 'ExpirePlacement';
  readonly data: { readonly placementId: number };
}

interface PlacementProcess {
  readonly open: boolean;
}

const TIMER = 'expiry';

const react = ({ type, data }: PlacementEvent): readonly SagaAction<ExpirePlacement>[] => {
  switch (type) {
    case 'StagesPlaced': {
      const { placementId, expiresAt: dueAt } = data;
      const command = { type: 'ExpirePlacement', data: { placementId } } as const;
      return [{ kind: 'schedule', timer: TIMER, dueAt, command }];
    }
    case 'PlacementReleased':
    case 'PlacementExpired':
      return [{ kind: 'cancel', timer: TIMER }];
  }
};

/**
 * Records the end of a placement that was not released. Its memory is free from the instant on at
 * which it ends: the decider compares that instant with the clock.
 */
export const placementExpirySaga: Saga<PlacementEvent, PlacementProcess, ExpirePlacement> = {
  name: 'placement-expiry',
  on: { StagesPlaced, PlacementReleased, PlacementExpired },
  key: ({ data }) => String(data.placementId),
  initialState: { open: false },
  evolve: (_, { type }) => (type === 'StagesPlaced' ? { open: true } : null),
  react,
};
