import { cryptoInvoiceEvents } from '#events/payments/crypto-invoice.events.js';
import { cryptoPaymentEvents } from '#events/payments/crypto-payment.events.js';
import { depositKeyEvents } from '#events/payments/deposit-key.events.js';
import { stripePaymentEvents } from '#events/payments/stripe-payment.events.js';
import { defineArea } from '#platform/runtime/areas/area.js';
import { deploySaga } from '#platform/runtime/sagas/saga-deployment.js';
import { cryptoInvoices } from '#projections/payments/crypto-invoices.projection.js';
import { openCryptoInvoices } from '#projections/payments/open-crypto-invoices.projection.js';
import { ChainPolling } from './chains/chain-polling.js';
import { CreditCryptoPaymentCommand } from './credit-crypto-payment.handler.js';
import { cryptoCreditSaga } from './crypto-credit.saga.js';
import { paymentNotifications } from './payment-notifications.js';
import { paymentsErrors } from './payments.errors.js';
import { PaymentsModule } from './payments.module.js';
import { paymentsSettings } from './payments.settings.js';

export const paymentsArea = defineArea({
  name: 'payments',
  description:
    'Deposits in crypto-currencies and by Stripe: invoices, chains, prices, and events of Stripe.',
  module: PaymentsModule,
  events: [
    ...cryptoInvoiceEvents,
    ...depositKeyEvents,
    ...cryptoPaymentEvents,
    ...stripePaymentEvents,
  ],
  projections: [cryptoInvoices, openCryptoInvoices],
  sagas: [
    deploySaga(cryptoCreditSaga, {
      CreditCryptoPayment: (deposit, context) => new CreditCryptoPaymentCommand(deposit, context),
    }),
  ],
  leaderServices: [ChainPolling],
  notifications: paymentNotifications,
  errors: paymentsErrors,
  settings: [paymentsSettings],
});
