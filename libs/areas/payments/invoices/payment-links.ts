import { createHmac, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type Secrets } from '#platform/secrets/secrets.js';
import { SECRETS } from '#platform/secrets/tokens.js';

const REFERENCE = /^([0-9a-f-]{36})\.[A-Za-z0-9_-]{22}$/;
const TAG_BYTES = 16;

/**
 * The references of payment pages, which need no credential. A reference cannot be guessed from
 * the id of an invoice.
 */
@Injectable()
export class PaymentLinks {
  readonly #key: Buffer;

  constructor(@Inject(SECRETS) secrets: Pick<Secrets, 'key'>) {
    this.#key = secrets.key('payment-pages');
  }

  referenceOf(invoiceId: string): string {
    const tag = createHmac('sha256', this.#key).update(invoiceId).digest().subarray(0, TAG_BYTES);
    return `${invoiceId}.${tag.toString('base64url')}`;
  }

  /** Null for a reference that was not made here. */
  invoiceOf(reference: string): string | null {
    const [, invoiceId] = REFERENCE.exec(reference) ?? [];
    if (invoiceId === undefined) return null;
    // The texts are compared: several texts of base 64 decode to the same bytes.
    const expected = this.referenceOf(invoiceId);
    return timingSafeEqual(Buffer.from(reference), Buffer.from(expected)) ? invoiceId : null;
  }
}
