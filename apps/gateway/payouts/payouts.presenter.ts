import { type PayeePage, type PayoutPage } from '#areas/payouts/payout.queries.js';
import { fromDecimal, toUsd } from '#platform/kernel/money.js';
import { type Payout } from '#projections/payouts/payouts.projection.js';
import { type PageDto, presentPage } from '../pages/page.dto.js';
import { type OpenPayoutListDto, type PayoutDto, type PayoutListDto } from './payouts.dto.js';

const usd = (decimal: string): number => toUsd(fromDecimal(decimal));

const presentPayout = (payout: Payout): PayoutDto => ({
  payout_id: payout.payoutId,
  beneficiary: payout.beneficiary,
  status: payout.status,
  amount_usd: usd(payout.amount),
  tax: payout.withholding && {
    country: payout.withholding.country,
    income_type: payout.withholding.incomeType,
    treaty_claimed: payout.withholding.treatyClaimed,
    rate_pct: payout.withholding.ratePercent,
    withheld_usd: usd(payout.withholding.withheldMicroUsd),
    article: payout.withholding.article,
    source: payout.withholding.source,
    as_of: payout.withholding.asOf,
  },
  net_usd: payout.net === null ? null : usd(payout.net),
  requested_at: payout.requestedAt,
  approved_at: payout.approvedAt,
  ended_at: payout.endedAt,
  reason: payout.reason,
  reference: payout.reference,
});

export const presentPayouts = (
  beneficiary: string,
  query: PageDto,
  found: PayeePage,
): PayoutListDto => ({
  ...presentPage(query, found),
  beneficiary,
  balance: {
    accrued_usd: toUsd(found.balance.accrued),
    open_usd: toUsd(found.balance.open),
    paid_usd: toUsd(found.balance.paid),
    withheld_usd: toUsd(found.balance.withheld),
    available_usd: toUsd(found.balance.available),
  },
  payouts: found.payouts.map(presentPayout),
});

export const presentOpenPayouts = (query: PageDto, found: PayoutPage): OpenPayoutListDto => ({
  ...presentPage(query, found),
  payouts: found.payouts.map(presentPayout),
});
