import { EndRigShareCommand } from '#areas/investors/change-rig-share.handler.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { INVESTOR_NEEDS } from './allocate-share.js';

export interface EndShareOptions extends CommonOptions {
  readonly rig: string;
  readonly allocation: string;
}

export const endShare = async (
  { rig, allocation: allocationId }: EndShareOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  await withQuipu(invocation, INVESTOR_NEEDS, ({ commands, context }) =>
    commands.execute(new EndRigShareCommand({ rig, allocationId }, context())),
  );
  return {
    json: { allocation_id: allocationId, rig },
    text: `The allocation ${allocationId} of ${rig} has ended.`,
  };
};
