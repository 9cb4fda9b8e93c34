import { RigName } from '#events/catalog/rate-card.events.js';
import { ChangeRigCommand } from '#areas/fleet/change-rig.handler.js';
import { instant } from '#platform/kernel/clock.js';
import { CommandFailure } from '../command-failure.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';

export interface DrainRigOptions extends CommonOptions {
  readonly name: string;
}

const NEEDS = { areas: ['fleet'], installation: 'exists', projections: [] } as const;

/** A running server orders the worker; this command records what the operator wants. */
export const drainRig = async (
  { name: rig }: DrainRigOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  if (!RigName.safeParse(rig).success) {
    throw new CommandFailure('worker_rig_not_found', `no worker is registered as rig ${rig}`);
  }
  await withQuipu(invocation, NEEDS, async ({ commands, clock, context }) => {
    const data = { rig, requestedAt: instant(clock) };
    await commands.execute(new ChangeRigCommand({ type: 'DrainRig', data }, context()));
  });
  return {
    json: { rig, state: 'draining' },
    text: `Rig ${rig} takes no new tasks. It is drained when its last task has ended.`,
  };
};
