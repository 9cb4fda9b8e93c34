import { PartnersQuery } from '#areas/partners/partner.queries.js';
import { partners } from '#projections/partners/partners.projection.js';
import { percentText } from '../basis-points.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { listText } from '../table.js';
import { PARTNER_NEEDS } from './partner-needs.js';

export interface ListPartnersOptions extends CommonOptions {
  readonly page: number;
  readonly limit: number;
}

export const listPartners = async (
  { page, limit }: ListPartnersOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const needs = { ...PARTNER_NEEDS, projections: [partners] };
  const found = await withQuipu(invocation, needs, ({ queries }) =>
    queries.execute(new PartnersQuery(page, limit)),
  );
  const listed = found.partners.map((partner) => ({
    id: partner.partnerId,
    partner_slug: partner.slug,
    partner_name: partner.name,
    revenue_share_pct: partner.revenueShareBasisPoints / 100,
    revenue_share_max_pct: partner.revenueShareMaxBasisPoints / 100,
    sub_users_count: partner.subUsers,
    managers_count: partner.managers,
    fleet_rigs: partner.fleetRigs,
  }));
  const rows = found.partners.map((partner) => [
    String(partner.partnerId),
    partner.slug,
    percentText(partner.revenueShareBasisPoints),
    String(partner.subUsers),
    String(partner.fleetRigs.length),
    partner.name,
  ]);
  return {
    json: { partners: listed, page, total_records: found.total },
    text: listText({
      noun: 'partners',
      header: ['ID', 'SLUG', 'SHARE', 'SUB-USERS', 'RIGS', 'NAME'],
      rows,
    }),
  };
};
