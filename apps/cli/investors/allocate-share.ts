import { AllocateRigShareCommand } from '#areas/investors/change-rig-share.handler.js';
import { UserId } from '#events/vocabulary.js';
import { type MicroUsd, toDecimal } from '#platform/kernel/money.js';
import { percentText } from '../basis-points.js';
import { CommandFailure } from '../command-failure.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { catalogRigs } from '../rigs/catalog-rigs.js';
import { accountOf } from '../user-option.js';

export interface AllocateShareOptions extends CommonOptions {
  readonly user: string;
  readonly rig: string;
  /** In basis points. */
  readonly share: number;
  readonly fee: number;
  readonly gpus: number;
  readonly price: MicroUsd;
  readonly purchasedOn: string;
}

/** The areas that the commands compose: investors, and the areas that its ports are bound to. */
export const INVESTOR_NEEDS = {
  areas: ['identity', 'billing', 'investors'],
  installation: 'exists',
  projections: [],
} as const;

export const allocateShare = async (
  { user, rig, share, fee, gpus, price, purchasedOn }: AllocateShareOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const rigs = await catalogRigs(invocation);
  if (!rigs.some(({ name }) => name === rig)) {
    throw new CommandFailure('node_not_in_catalog', `--rig: the catalog has no rig ${rig}`);
  }
  const terms = {
    rig,
    shareBasisPoints: share,
    platformFeeBasisPoints: fee,
    gpus,
    purchasePriceMicroUsd: toDecimal(price),
    purchasedOn,
  };
  const allocationId = await withQuipu(invocation, INVESTOR_NEEDS, async (quipu) => {
    const { commands, queries, context } = quipu;
    const accountId = await accountOf({ queries }, user);
    const data = { ...terms, investorId: UserId.parse(Number(accountId)) };
    return commands.execute(new AllocateRigShareCommand(data, context()));
  });
  return {
    json: { allocation_id: allocationId, rig, share_pct: share / 100 },
    text: `${user} holds ${percentText(share)} of ${rig}; the allocation is ${allocationId}.`,
  };
};
