import { OpenPayoutsQuery, PayoutsQuery } from '#areas/payouts/payout.queries.js';
import { type Beneficiary } from '#events/payouts/earning.events.js';
import { fromDecimal, inUsd } from '#platform/kernel/money.js';
import { payeeBalances } from '#projections/payouts/payee-balances.projection.js';
import { openPayouts, type Payout, payouts } from '#projections/payouts/payouts.projection.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { listText } from '../table.js';
import { PAYOUT_NEEDS } from './payout-needs.js';

export interface ListPayoutsOptions extends CommonOptions {
  /** Without it: the payouts of all that wait for an Admin. */
  readonly beneficiary?: Beneficiary;
  readonly page: number;
  readonly limit: number;
}

export const listPayouts = async (
  { beneficiary, page, limit }: ListPayoutsOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const needs = { ...PAYOUT_NEEDS, projections: [payouts, openPayouts, payeeBalances] };
  const found = await withQuipu(invocation, needs, ({ queries }) =>
    beneficiary === undefined
      ? queries.execute(new OpenPayoutsQuery(page, limit))
      : queries.execute(new PayoutsQuery(beneficiary, page, limit)),
  );
  return {
    json: { payouts: found.payouts.map(fieldsOf), page, total_records: found.total },
    text: listText({
      noun: 'payouts',
      header: ['BENEFICIARY', 'ID', 'STATUS', 'AMOUNT', 'REQUESTED'],
      rows: found.payouts.map(rowOf),
    }),
  };
};

const rowOf = ({ beneficiary, payoutId, status, amount, requestedAt }: Payout) => [
  beneficiary,
  payoutId,
  status,
  inUsd(fromDecimal(amount)),
  requestedAt,
];

const fieldsOf = (payout: Payout) => ({
  beneficiary: payout.beneficiary,
  payout_id: payout.payoutId,
  status: payout.status,
  amount_micro_usd: payout.amount,
  withheld_micro_usd: payout.withholding?.withheldMicroUsd ?? null,
  net_micro_usd: payout.net,
  requested_at: payout.requestedAt,
  approved_at: payout.approvedAt,
  ended_at: payout.endedAt,
  reason: payout.reason,
  reference: payout.reference,
});
