import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import { Sealed } from '../identity/identity.vocabulary.js';
import { AccountId, Instant } from '../vocabulary.js';

/**
 * The customer's details on invoices: one stream `invoicedetails-<accountId>`. Name, address and
 * tax number are sealed with the key of the account's user, so that an erasure covers them.
 */
export const InvoiceDetailsSet = defineEvent('InvoiceDetailsSet', {
  version: 1,
  schema: z.strictObject({ accountId: AccountId, sealed: Sealed, setAt: Instant }),
});
export type InvoiceDetailsSet = EventOf<typeof InvoiceDetailsSet>;

export const invoiceDetailsEvents = [InvoiceDetailsSet] as const;
