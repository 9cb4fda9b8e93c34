import { type EarningsAccrued } from '#events/payouts/earning.events.js';
import { type CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type AccrualState, type AccrueEarnings } from './accrual.decider.js';

export type AccrualRunner = CommandRunner<AccrueEarnings, AccrualState, EarningsAccrued>;

export const ACCRUALS = Symbol('Accruals');

/** The only stream of its category: every charge is in one accrual. */
export const ACCRUAL_STREAM = 'earnings-accruals';
