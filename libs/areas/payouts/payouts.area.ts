import { earningEvents } from '#events/payouts/earning.events.js';
import { payoutEvents } from '#events/payouts/payout.events.js';
import { defineArea } from '#platform/runtime/areas/area.js';
import { accruals } from '#projections/payouts/accruals.projection.js';
import { payeeBalances } from '#projections/payouts/payee-balances.projection.js';
import { openPayouts, payouts } from '#projections/payouts/payouts.projection.js';
import { EarningsAccrual } from './earnings-accrual.js';
import { payoutsErrors } from './payouts.errors.js';
import { PayoutsModule } from './payouts.module.js';

export const payoutsArea = defineArea({
  name: 'payouts',
  description: 'What partners and investors earn from charges, and how they are paid.',
  events: [...earningEvents, ...payoutEvents],
  projections: [accruals, payeeBalances, payouts, openPayouts],
  leaderServices: [EarningsAccrual],
  errors: payoutsErrors,
  module: PayoutsModule,
});
