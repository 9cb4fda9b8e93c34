import { Inject, Injectable } from '@nestjs/common';
import { IDENTITY_SETTINGS, type IdentitySettings } from '#areas/identity/identity.settings.js';
import { PaymentLinks } from '#areas/payments/invoices/payment-links.js';
import { withoutTrailing } from '#platform/kernel/trailing.js';

/** Where the payment page of a crypto invoice is. */
@Injectable()
export class PaymentPages {
  constructor(
    private readonly links: PaymentLinks,
    @Inject(IDENTITY_SETTINGS) private readonly identity: IdentitySettings,
  ) {}

  of(invoiceId: string): string {
    const base = withoutTrailing(this.identity.tenant.baseUrl, '/');
    return `${base}/pay/${this.links.referenceOf(invoiceId)}`;
  }
}
