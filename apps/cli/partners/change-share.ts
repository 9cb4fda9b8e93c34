import { ChangePartnerCommand } from '#areas/partners/change-partner.handler.js';
import { PartnerId } from '#events/partners/partner.vocabulary.js';
import { instant } from '#platform/kernel/clock.js';
import { percentText } from '../basis-points.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { PARTNER_NEEDS } from './partner-needs.js';

export interface ChangeShareOptions extends CommonOptions {
  readonly partner: number;
  /** In basis points. */
  readonly share: number;
  readonly maxShare?: number;
}

/** The share is in force for the charges that follow. */
export const changeShare = async (
  { partner, share, maxShare }: ChangeShareOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const partnerId = PartnerId.parse(partner);
  await withQuipu(invocation, PARTNER_NEEDS, ({ commands, context, clock }) => {
    const data = {
      partnerId,
      revenueShareBasisPoints: share,
      revenueShareMaxBasisPoints: maxShare ?? null,
      changedAt: instant(clock),
    };
    const change = { type: 'ChangeRevenueShare', data } as const;
    return commands.execute(new ChangePartnerCommand(change, context()));
  });
  return {
    json: { partner_id: partnerId, revenue_share_pct: share / 100 },
    text: `Partner ${partnerId} gets ${percentText(share)} of the charges that follow.`,
  };
};
