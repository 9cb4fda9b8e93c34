import { FundsDeposited, HoldCaptured } from '#events/billing/account.events.js';
import { fromDecimal, toDecimal } from '#platform/kernel/money.js';
import { type Projection } from '#platform/kernel/projection.js';

/** A deposit, or a month's usage; money as decimal micro-dollars, instants as ISO 8601. */
export type InvoiceRecord =
  | {
      readonly kind: 'deposit';
      readonly number: number;
      readonly reference: string;
      readonly amount: string;
      readonly method: string;
      readonly createdAt: string;
    }
  | {
      readonly kind: 'usage';
      /** `YYYY-MM`, in UTC. */
      readonly month: string;
      readonly amount: string;
      readonly charges: number;
      /** The first instant of the month. */
      readonly createdAt: string;
    };

type InvoiceEvent = FundsDeposited | HoldCaptured;

const monthOf = (at: string): string => at.slice(0, 'YYYY-MM'.length);
const startOf = (month: string): string => `${month}-01T00:00:00.000Z`;

const key = ({ type, data }: InvoiceEvent): string => {
  switch (type) {
    case 'FundsDeposited':
      return `${data.accountId}/${data.depositedAt}/deposit-${data.depositNumber}`;
    case 'HoldCaptured': {
      const month = monthOf(data.capturedAt);
      return `${data.accountId}/${startOf(month)}/usage-${month}`;
    }
  }
};

const project = ({ type, data }: InvoiceEvent, before: InvoiceRecord): InvoiceRecord => {
  switch (type) {
    case 'FundsDeposited':
      return {
        kind: 'deposit',
        number: data.depositNumber,
        reference: data.depositId,
        amount: data.amountMicroUsd,
        method: data.method,
        createdAt: data.depositedAt,
      };
    case 'HoldCaptured': {
      const month = monthOf(data.capturedAt);
      const charges = before.kind === 'usage' ? before.charges + 1 : 1;
      const amount = toDecimal(fromDecimal(before.amount) + fromDecimal(data.amountMicroUsd));
      return { kind: 'usage', month, amount, charges, createdAt: startOf(month) };
    }
  }
};

/** What was paid in, and what did each month's usage come to? Keys of an account order by time. */
export const invoices: Projection<InvoiceEvent, InvoiceRecord> = {
  name: 'invoices',
  version: 1,
  on: { FundsDeposited, HoldCaptured },
  keys: (event) => [key(event)],
  initial: () => ({ kind: 'usage', month: '', amount: '0', charges: 0, createdAt: '' }),
  project,
};
