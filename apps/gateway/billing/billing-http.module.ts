import { Module } from '@nestjs/common';
import { PaymentPages } from '../payments/payment-pages.js';
import { BillingController } from './billing.controller.js';
import { BudgetsController } from './budgets.controller.js';
import { DepositsController } from './deposits.controller.js';
import { ExplanationsController } from './explanations.controller.js';
import { InvoiceDetailsController } from './invoice-details.controller.js';
import { LedgerController } from './ledger.controller.js';
import { StatementsController } from './statements.controller.js';

@Module({
  controllers: [
    BillingController,
    BudgetsController,
    DepositsController,
    ExplanationsController,
    InvoiceDetailsController,
    LedgerController,
    StatementsController,
  ],
  providers: [PaymentPages],
})
export class BillingHttpModule {}
