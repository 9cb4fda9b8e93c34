import { z } from 'zod';
import { defineSettings, variable } from '#platform/runtime/settings.js';

export interface TaxSettings {
  /** Where the operator is established; null where statements state no tax. */
  readonly sellerCountry: string | null;
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
  },
  read: ({ QUIPU_TAX_SELLER_COUNTRY: country }): TaxSettings => ({
    sellerCountry: country ?? null,
  }),
});
