import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type PartnerId } from '#events/partners/partner.vocabulary.js';
import { fromDecimal, type MicroUsd } from '#platform/kernel/money.js';
import { type AsOf } from '#platform/runtime/history/as-of.js';
import { numberedPage } from '#platform/runtime/projections/numbered-page.js';
import {
  type DocumentReader,
  type Projections,
} from '#platform/runtime/projections/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import {
  LIFETIME,
  NO_EARNINGS,
  partnerEarnings,
  partnerEarningsKey,
  type Period,
} from '#projections/partners/partner-earnings.projection.js';
import {
  partnerKey,
  type PartnerProfile,
  partners,
} from '#projections/partners/partners.projection.js';
import { ACCRUALS_KEY, accruals } from '#projections/payouts/accruals.projection.js';
import { reject } from './partners.errors.js';

export interface Earned {
  readonly charges: number;
  /** The charges of the sub-users. */
  readonly gross: MicroUsd;
  /** The partner's part of it. */
  readonly earned: MicroUsd;
  /** The last hour with a charge, `YYYY-MM-DDTHH` in UTC. */
  readonly lastHour: string | null;
}

export interface PartnerOverview {
  readonly partner: PartnerProfile;
  readonly month: Earned;
  readonly lifetime: Earned;
  /** The log position up to which charges are divided. */
  readonly accruedThrough: string;
  readonly position: bigint;
}

/** A partner, and what it has earned in the current month and in all. */
export class PartnerOverviewQuery extends Query<PartnerOverview> {
  constructor(
    readonly partnerId: PartnerId,
    readonly asOf?: AsOf,
  ) {
    super();
  }
}

@QueryHandler(PartnerOverviewQuery)
export class PartnerOverviewHandler implements IQueryHandler<PartnerOverviewQuery> {
  constructor(@Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'at'>) {}

  /** @throws DomainError `partner_not_found` */
  async execute({ partnerId, asOf }: PartnerOverviewQuery): Promise<PartnerOverview> {
    const reader = await this.projections.at(asOf);
    const [found, month, lifetime, accrued] = await Promise.all([
      reader.get(partners, partnerKey(partnerId)),
      earnedIn(reader, partnerId, monthOf(reader.readAt)),
      earnedIn(reader, partnerId, LIFETIME),
      reader.get(accruals, ACCRUALS_KEY),
    ]);
    const partner = found.document?.profile;
    if (!partner) return reject('partner_not_found', `there is no partner ${partnerId}`);
    const accruedThrough = accrued.document?.through ?? '0';
    return { partner, month, lifetime, accruedThrough, position: found.position };
  }
}

export interface PartnerPage {
  readonly partners: readonly PartnerProfile[];
  readonly total: number;
  readonly position: bigint;
}

/** A page of all partners, by id. */
export class PartnersQuery extends Query<PartnerPage> {
  constructor(
    /** From 1. */
    readonly page: number,
    readonly limit: number,
    readonly asOf?: AsOf,
  ) {
    super();
  }
}

@QueryHandler(PartnersQuery)
export class PartnersHandler implements IQueryHandler<PartnersQuery> {
  constructor(@Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'at'>) {}

  async execute({ page, limit, asOf }: PartnersQuery): Promise<PartnerPage> {
    const reader = await this.projections.at(asOf);
    const { documents, total, position } = await numberedPage(reader, partners, { page, limit });
    const profiles = documents.flatMap(({ document: { profile } }) => profile ?? []);
    return { partners: profiles, total, position };
  }
}

/** A month in UTC, `YYYY-MM`. */
export const monthOf = (epochMs: number): Period =>
  new Date(epochMs).toISOString().slice(0, 'YYYY-MM'.length);

export const earnedIn = async (
  reader: DocumentReader,
  partnerId: PartnerId,
  period: Period,
  accountId?: string,
): Promise<Earned> => {
  const key = partnerEarningsKey(partnerId, period, accountId);
  const { document = NO_EARNINGS } = await reader.get(partnerEarnings, key);
  const { charges, gross, earned, lastHour } = document;
  return { charges, gross: fromDecimal(gross), earned: fromDecimal(earned), lastHour };
};
