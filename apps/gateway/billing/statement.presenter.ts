import { type Statement, type StatementLine } from '#areas/billing/statements/statement.js';
import { type StatementDto, type StatementTaxDto } from './statements.dto.js';

export const presentStatement = (statement: Statement): StatementDto => ({
  success: true,
  account_id: statement.accountId,
  month: statement.month,
  currency: statement.currency,
  status: statement.status,
  opening_micro_usd: statement.openingMicroUsd,
  closing_micro_usd: statement.closingMicroUsd,
  lines: statement.lines.map(presentLine),
  deposits: statement.deposits.map((deposit) => ({
    id: deposit.number,
    reference_id: deposit.depositId,
    payment_method: deposit.method,
    amount_micro_usd: deposit.amountMicroUsd,
    deposited_at: deposit.depositedAt,
  })),
  adjustments: statement.adjustments.map((adjustment) => ({
    id: adjustment.number,
    reference_id: adjustment.adjustmentId,
    kind: adjustment.kind,
    amount_micro_usd: adjustment.amountMicroUsd,
    refers_to_month: adjustment.refersTo.month,
    refers_to_request: adjustment.refersTo.holdId,
    reason: adjustment.reason,
    adjusted_at: adjustment.adjustedAt,
  })),
  tax: statement.tax && presentTax(statement.tax),
  totals: {
    deposited_micro_usd: statement.totals.depositedMicroUsd,
    charged_micro_usd: statement.totals.chargedMicroUsd,
    adjusted_micro_usd: statement.totals.adjustedMicroUsd,
    charges: statement.totals.charges,
  },
  closed_at: statement.closedAt,
  position: statement.position,
});

const presentLine = (line: StatementLine): StatementDto['lines'][number] => ({
  day: line.day,
  model: line.model,
  job: line.job,
  purpose: line.purpose,
  meter: line.meter,
  rate_card_version: line.rateCardVersion,
  quantity: line.quantity,
  unit_price_micro_usd: line.unitPriceMicroUsd,
  per_units: line.perUnits,
  amount_micro_usd: line.amountMicroUsd,
  charges: line.charges,
});

const PPM_PER_PERCENT = 10_000;

export const presentTax = (tax: NonNullable<Statement['tax']>): StatementTaxDto => ({
  country: tax.country,
  region: tax.region,
  treatment: tax.treatment,
  kind: tax.kind,
  rate_pct: tax.ratePpm / PPM_PER_PERCENT,
  gross_micro_usd: tax.grossMicroUsd,
  tax_micro_usd: tax.taxMicroUsd,
  source: tax.source,
});
