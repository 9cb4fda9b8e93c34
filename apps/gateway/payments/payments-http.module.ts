import { Module } from '@nestjs/common';
import { CryptoInvoicesController } from './crypto-invoices.controller.js';
import { PaymentNoticesController } from './payment-notices.controller.js';
import { PaymentPageController } from './payment-page.controller.js';
import { PaymentPages } from './payment-pages.js';
import { StripeEventsController } from './stripe-events.controller.js';
import { QrCodes } from './qr-codes.js';

@Module({
  controllers: [
    CryptoInvoicesController,
    PaymentPageController,
    PaymentNoticesController,
    StripeEventsController,
  ],
  providers: [PaymentPages, QrCodes],
})
export class PaymentsHttpModule {}
