import { accountEvents } from '#events/billing/account.events.js';
import { admissionSettings } from '#platform/ledger/paid-work/admission.settings.js';
import { invoiceDetailsEvents } from '#events/billing/invoice-details.events.js';
import { paidWorkSettings } from '#platform/ledger/paid-work/paid-work.settings.js';
import { defineArea } from '#platform/runtime/areas/area.js';
import { deploySaga } from '#platform/runtime/sagas/saga-deployment.js';
import { accountOverview } from '#projections/billing/account-overview.projection.js';
import { chargesByMinute } from '#projections/billing/charges-by-minute.projection.js';
import { invoices } from '#projections/billing/invoices.projection.js';
import { keyUse } from '#projections/billing/key-use.projection.js';
import { statements } from '#projections/billing/statements.projection.js';
import { ChangeAccountCommand } from './change-account.handler.js';
import { DeliverAllotmentCommand, OpenSubAccountCommand } from './allotment.handlers.js';
import { allotmentSaga } from './allotment.saga.js';
import { budgetThresholdReached } from './budgets/threshold.notification.js';
import { BillingModule } from './billing.module.js';
import { expireHold } from './expire-hold.handler.js';
import { holdExpirySaga } from './hold-expiry.saga.js';
import { billingErrors } from './billing.errors.js';
import { StatementClosing } from './statements/statement-closing.js';
import { statementReady } from './statements/statement-ready.notification.js';
import { statementSettings } from './statements/statements.settings.js';
import { waitingSettings } from './waiting/waiting.settings.js';

export const billingArea = defineArea({
  name: 'billing',
  description: 'Balances, holds, charges and statements of an account.',
  events: [...accountEvents, ...invoiceDetailsEvents],
  projections: [accountOverview, chargesByMinute, invoices, keyUse, statements],
  sagas: [
    deploySaga(holdExpirySaga, { ExpireHold: expireHold }),
    deploySaga(allotmentSaga, {
      OpenSubAccount: (data, context) => new OpenSubAccountCommand(data, context),
      DeliverAllotment: (receipt, context) => new DeliverAllotmentCommand(receipt, context),
      CloseSubAccount: (data, context) =>
        new ChangeAccountCommand({ type: 'CloseSubAccount', data }, context),
    }),
  ],
  errors: billingErrors,
  settings: [paidWorkSettings, admissionSettings, statementSettings, waitingSettings],
  leaderServices: [StatementClosing],
  notifications: [budgetThresholdReached, statementReady],
  module: BillingModule,
});
