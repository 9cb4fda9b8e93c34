import { type Earning, EarningsAccrued } from '#events/payouts/earning.events.js';
import { fromDecimal, toDecimal } from '#platform/kernel/money.js';
import { type Projection } from '#platform/kernel/projection.js';
import { partnerKey } from './partners.projection.js';

/** Decimal micro-dollars. */
export interface PartnerEarnings {
  readonly charges: number;
  /** The charges of the sub-users. */
  readonly gross: string;
  /** The partner's part of it. */
  readonly earned: string;
  /** The last hour with a charge, `YYYY-MM-DDTHH` in UTC; null for none. */
  readonly lastHour: string | null;
}

type OfPartner = Extract<Earning, { readonly kind: 'partner' }>;

/** A month as `YYYY-MM` in UTC, or all of them. */
export type Period = string;
export const LIFETIME: Period = 'all';

export const NO_EARNINGS: PartnerEarnings = {
  charges: 0,
  gross: '0',
  earned: '0',
  lastHour: null,
};

/** @param accountId of a sub-user; without it, of all of them */
export const partnerEarningsKey = (
  partnerId: number,
  period: Period,
  accountId?: string,
): string => {
  const ofPartner = `${partnerKey(partnerId)}/${period}`;
  return accountId === undefined ? ofPartner : `${ofPartner}/${accountId}`;
};

const keysOf = ({ partnerId, accountId, hour }: OfPartner): readonly string[] =>
  [hour.slice(0, 'YYYY-MM'.length), LIFETIME].flatMap((period) => [
    partnerEarningsKey(partnerId, period),
    partnerEarningsKey(partnerId, period, accountId),
  ]);

const ofPartners = (earnings: readonly Earning[]): readonly OfPartner[] =>
  earnings.filter((earning) => earning.kind === 'partner');

const plus = (was: PartnerEarnings, earning: OfPartner): PartnerEarnings => ({
  charges: was.charges + earning.charges,
  gross: toDecimal(fromDecimal(was.gross) + fromDecimal(earning.grossMicroUsd)),
  earned: toDecimal(fromDecimal(was.earned) + fromDecimal(earning.earnedMicroUsd)),
  lastHour: was.lastHour !== null && was.lastHour > earning.hour ? was.lastHour : earning.hour,
});

/** What did the sub-users of a partner pay, each and together, in a month and in all? */
export const partnerEarnings: Projection<EarningsAccrued, PartnerEarnings> = {
  name: 'partner-earnings',
  version: 1,
  on: { EarningsAccrued },
  keys: ({ data }) => [...new Set(ofPartners(data.earnings).flatMap(keysOf))],
  initial: () => NO_EARNINGS,
  project: ({ data }, document, key) =>
    ofPartners(data.earnings)
      .filter((earning) => keysOf(earning).includes(key))
      .reduce(plus, document),
};
