import { Module } from '@nestjs/common';
import { type Logger } from 'pino';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK, LOGGER } from '#platform/runtime/tokens.js';
import { ChainPolling } from './chains/chain-polling.js';
import { ChainWatchers } from './chains/chain-watchers.js';
import { CreditCryptoPaymentHandler } from './credit-crypto-payment.handler.js';
import { CreateCryptoInvoiceHandler } from './invoices/create-invoice.handler.js';
import { CryptoInvoiceHandler, CryptoInvoicesHandler } from './invoices/crypto-invoice.query.js';
import { InvoiceObserver } from './invoices/invoice-observer.js';
import { NotifyPaymentHandler } from './invoices/notify-payment.handler.js';
import { PaymentLinks } from './invoices/payment-links.js';
import { PaymentRunners } from './invoices/payment-runners.js';
import { PAYMENTS_SETTINGS, type PaymentsSettings } from './payments.settings.js';
import { openPriceSource } from './prices/price-source-address.js';
import { Prices } from './prices/prices.js';
import { TakeStripeEventHandler } from './stripe/take-stripe-event.handler.js';

@Module({
  providers: [
    {
      provide: Prices,
      inject: [PAYMENTS_SETTINGS, CLOCK, LOGGER],
      useFactory: (settings: PaymentsSettings, clock: Clock, logger: Logger) => {
        const { priceSources, priceLimits } = settings;
        return new Prices(priceSources.map(openPriceSource), priceLimits, clock, logger);
      },
    },
    PaymentRunners,
    PaymentLinks,
    ChainWatchers,
    ChainPolling,
    InvoiceObserver,
    CreateCryptoInvoiceHandler,
    CreditCryptoPaymentHandler,
    NotifyPaymentHandler,
    CryptoInvoiceHandler,
    CryptoInvoicesHandler,
    TakeStripeEventHandler,
  ],
  exports: [PaymentLinks, ChainPolling],
})
export class PaymentsModule {}
