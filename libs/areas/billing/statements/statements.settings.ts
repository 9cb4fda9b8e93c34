import { z } from 'zod';
import { defineSettings, variable, wholeNumber } from '#platform/runtime/areas/settings.js';

export interface StatementSettings {
  /** From the end of a month to the closing of its statements. */
  readonly closeAfterMs: number;
  /** How often open statements of past months are looked for. */
  readonly pollMs: number;
  /** Who sells; null: invoices name no seller. */
  readonly seller: Party | null;
}

/** Of an invoice. */
export interface Party {
  readonly name: string;
  readonly address: string | null;
  /** Such as a VAT number. */
  readonly taxId: string | null;
}

export const STATEMENT_SETTINGS = Symbol('StatementSettings');

const HOUR_MS = 3_600_000;
const POLL_MS = 600_000;

export const statementSettings = defineSettings({
  token: STATEMENT_SETTINGS,
  variables: {
    QUIPU_STATEMENT_CLOSE_HOURS: variable(
      wholeNumber(1, 240).default(24),
      'hours from the end of a month to the closing of its statements; later charges of the ' +
        'month are on the next one',
    ),
    QUIPU_SELLER_NAME: variable(
      z.string().min(1).max(200).optional(),
      'who sells: the name of the operator on invoices',
    ),
    QUIPU_SELLER_ADDRESS: variable(
      z.string().min(1).max(500).optional(),
      'the address of the operator on invoices, in one line',
    ),
    QUIPU_SELLER_TAX_ID: variable(
      z.string().min(1).max(50).optional(),
      'the tax number of the operator on invoices, such as a VAT number',
    ),
  },
  read: (values): StatementSettings => ({
    closeAfterMs: values.QUIPU_STATEMENT_CLOSE_HOURS * HOUR_MS,
    pollMs: POLL_MS,
    seller:
      values.QUIPU_SELLER_NAME === undefined
        ? null
        : {
            name: values.QUIPU_SELLER_NAME,
            address: values.QUIPU_SELLER_ADDRESS ?? null,
            taxId: values.QUIPU_SELLER_TAX_ID ?? null,
          },
  }),
});
