import { RegisterPartnerCommand } from '#areas/partners/register-partner.handler.js';
import { percentText } from '../basis-points.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { PARTNER_NEEDS } from './partner-needs.js';

export interface CreatePartnerOptions extends CommonOptions {
  readonly slug: string;
  readonly name: string;
  /** In basis points. */
  readonly share: number;
  readonly maxShare?: number;
  readonly primaryColor: string;
  readonly accentColor: string;
  readonly bodyColor: string;
  readonly cardColor: string;
}

export const createPartner = async (
  options: CreatePartnerOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const { slug, name, share, maxShare = share } = options;
  const data = {
    slug,
    name,
    branding: {
      primaryColor: options.primaryColor,
      accentColor: options.accentColor,
      bodyBgColor: options.bodyColor,
      cardBgColor: options.cardColor,
    },
    revenueShareBasisPoints: share,
    revenueShareMaxBasisPoints: maxShare,
  };
  const partnerId = await withQuipu(invocation, PARTNER_NEEDS, ({ commands, context }) =>
    commands.execute(new RegisterPartnerCommand(data, context())),
  );
  return {
    json: { partner_id: partnerId, partner_slug: slug, partner_name: name },
    text: `Partner ${partnerId} (${slug}) was created with a share of ${percentText(share)}.`,
  };
};
