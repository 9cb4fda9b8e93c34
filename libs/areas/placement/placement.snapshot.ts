import { Map as ImmutableMap } from 'immutable';
import { z } from 'zod';
import { StagesPlaced } from '#events/placement/placement.events.js';
import { type SnapshotPlan } from '#platform/runtime/commands/snapshots.js';
import { type PlacementState } from './placement.decider.js';

const Stored = z.strictObject({
  lastId: z.int(),
  open: z.array(z.tuple([z.int(), StagesPlaced.schema])),
});

/** All placements share one stream, which is not read from its start again. */
export const placementSnapshots: SnapshotPlan<PlacementState> = {
  version: 1,
  every: 200,
  toJson: ({ lastId, open }) => ({ lastId, open: [...open.entries()] }),
  fromJson: (json) => {
    const { lastId, open } = Stored.parse(json);
    return { lastId, open: ImmutableMap(open) };
  },
};
