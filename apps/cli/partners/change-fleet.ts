import { ChangeFleetCommand } from '#areas/partners/change-fleet.handler.js';
import { PartnerId } from '#events/partners/partner.vocabulary.js';
import { instant } from '#platform/kernel/clock.js';
import { CommandFailure } from '../command-failure.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { catalogRigs } from '../rigs/catalog-rigs.js';
import { PARTNER_NEEDS } from './partner-needs.js';

export interface ChangeFleetOptions extends CommonOptions {
  readonly partner: number;
  readonly rig: string;
}

export const assignRig = async (
  { partner, rig }: ChangeFleetOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const rigs = await catalogRigs(invocation);
  if (!rigs.some(({ name }) => name === rig)) {
    throw new CommandFailure('rig_not_in_catalog', `--rig: the catalog has no rig ${rig}`);
  }
  const partnerId = PartnerId.parse(partner);
  await withQuipu(invocation, PARTNER_NEEDS, ({ commands, context, clock }) => {
    const data = { partnerId, rig, assignedAt: instant(clock) };
    return commands.execute(new ChangeFleetCommand({ type: 'AssignRig', data }, context()));
  });
  return {
    json: { partner_id: partnerId, rig },
    text: `Rig ${rig} is in the fleet of partner ${partnerId}.`,
  };
};

export const removeRig = async (
  { partner, rig }: ChangeFleetOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const partnerId = PartnerId.parse(partner);
  await withQuipu(invocation, PARTNER_NEEDS, ({ commands, context, clock }) => {
    const data = { partnerId, rig, removedAt: instant(clock) };
    return commands.execute(new ChangeFleetCommand({ type: 'RemoveRig', data }, context()));
  });
  return {
    json: { partner_id: partnerId, rig },
    text: `Rig ${rig} has left the fleet of partner ${partnerId}.`,
  };
};
