import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import { AccountId, Instant } from '../vocabulary.js';

/** ISO 3166-1 alpha-2. */
export const Country = z.string().regex(/^[A-Z]{2}$/);

/** ISO 3166-2 without the country, such as `QC`. */
export const Region = z.string().regex(/^[A-Z0-9]{1,3}$/);

/**
 * Where the holder of an account is taxed, and how; one stream `tax-<accountId>`. In plain text
 * and kept after an erasure: tax law demands the place of supply for as long as the invoices, and
 * a country with the number of an erased account names no person. No tax number and no address.
 */
export const TaxStatusSet = defineEvent('TaxStatusSet', {
  version: 1,
  schema: z.strictObject({
    accountId: AccountId,
    country: Country,
    /** Null where the country taxes alike everywhere. */
    region: Region.nullable(),
    /** The operator has seen a certificate of exemption. */
    taxExempt: z.boolean(),
    /** The operator has verified a tax number: a business accounts for its tax itself. */
    business: z.boolean(),
    /** The operator has a valid claim of treaty benefits, such as Form W-8BEN. */
    treatyClaimed: z.boolean(),
    setAt: Instant,
  }),
});
export type TaxStatusSet = EventOf<typeof TaxStatusSet>;

export const taxEvents = [TaxStatusSet] as const;
