import { ReleasePlacementCommand } from '#areas/placement/end-placement.handlers.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { PLACEMENT_NEEDS } from './list-placements.js';

export interface ReleasePlacementOptions extends CommonOptions {
  readonly id: number;
}

export const releasePlacement = async (
  { id }: ReleasePlacementOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const needs = { ...PLACEMENT_NEEDS, projections: [] };
  await withQuipu(invocation, needs, async ({ commands, context }) => {
    await commands.execute(new ReleasePlacementCommand(id, null, context()));
  });
  return { json: { job_id: id, status: 'released' }, text: `Placement ${id} was released.` };
};
