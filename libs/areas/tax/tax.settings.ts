import { z } from 'zod';
import { defineSettings, variable, wholeNumber } from '#platform/runtime/areas/settings.js';

export interface TaxSettings {
  /** Where the operator is established; null where statements state no tax. */
  readonly sellerCountry: string | null;
  /** The age at which answers mark a table as stale. */
  readonly tableDaysMax: number;
}

export const TAX_SETTINGS = Symbol('TaxSettings');

export const taxSettings = defineSettings({
  token: TAX_SETTINGS,
  variables: {
    QUIPU_TAX_SELLER_COUNTRY: variable(
      z
        .string()
        .regex(/^[A-Z]{2}$/, 'expected two capital letters (ISO 3166-1 alpha-2), such as DE')
        .optional(),
      'the country of the operator; the prices include its VAT or GST, and statements state it',
    ),
    QUIPU_TAX_TABLE_DAYS: variable(
      wholeNumber(1, 3_650).default(400),
      'the age in days at which answers mark a table of tax rates as stale',
    ),
  },
  read: ({
    QUIPU_TAX_SELLER_COUNTRY: country,
    QUIPU_TAX_TABLE_DAYS: tableDaysMax,
  }): TaxSettings => ({
    sellerCountry: country ?? null,
    tableDaysMax,
  }),
});
