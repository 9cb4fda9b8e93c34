import { Module } from '@nestjs/common';
import { PaymentPages } from '../payments/payment-pages.js';
import { BillingController } from './billing.controller.js';
import { BudgetsController } from './budgets.controller.js';
import { DepositsController } from './deposits.controller.js';
import { ExplanationsController } from './explanations.controller.js';
import { InvoiceDetailsController } from './invoice-details.controller.js';
import { LogEventStreams } from '../sse/log-event-streams.js';
import { LedgerCheckController } from './ledger-check.controller.js';
import { LedgerController } from './ledger.controller.js';
import { RejectionsController } from './rejections.controller.js';
import { StatementsController } from './statements.controller.js';
import { WhatIfController } from './what-if.controller.js';

@Module({
  controllers: [
    BillingController,
    BudgetsController,
    DepositsController,
    ExplanationsController,
    InvoiceDetailsController,
    LedgerCheckController,
    LedgerController,
    RejectionsController,
    StatementsController,
    WhatIfController,
  ],
  providers: [PaymentPages, LogEventStreams],
})
export class BillingHttpModule {}
