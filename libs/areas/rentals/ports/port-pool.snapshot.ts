import { Map as ImmutableMap } from 'immutable';
import { z } from 'zod';
import { PortBlockReserved } from '#events/rentals/rental.events.js';
import { type SnapshotPlan } from '#platform/runtime/commands/snapshots.js';
import { type PortPoolState } from './port-pool.decider.js';

const Block = PortBlockReserved.schema.omit({ rentalId: true, reservedAt: true });
const Stored = z.strictObject({
  lastNumber: z.int().nonnegative(),
  blocks: z.array(z.tuple([z.string(), Block])),
});

/** A rental has two events; a start folds at most this many. */
export const portPoolSnapshots: SnapshotPlan<PortPoolState> = {
  version: 1,
  every: 1_000,
  toJson: ({ lastNumber, blocks }) => ({ lastNumber, blocks: [...blocks] }),
  fromJson: (json) => {
    const { lastNumber, blocks } = Stored.parse(json);
    return { lastNumber, blocks: ImmutableMap(blocks) };
  },
};
