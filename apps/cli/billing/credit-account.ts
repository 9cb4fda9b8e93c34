import { randomUUID } from 'node:crypto';
import { ChangeAccountCommand } from '#areas/billing/change-account.handler.js';
import { instant } from '#platform/kernel/clock.js';
import { inUsd, type MicroUsd, toDecimal } from '#platform/kernel/money.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { accountOf } from '../user-option.js';

export interface CreditAccountOptions extends CommonOptions {
  readonly user: string;
  readonly usd: MicroUsd;
  readonly reason: string;
  readonly depositId?: string;
}

export const creditAccount = async (
  { user, usd: amount, reason, depositId = randomUUID() }: CreditAccountOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const needs = {
    areas: ['identity', 'billing'],
    installation: 'exists',
    projections: [],
  } as const;
  const { accountId, receipt, place } = await withQuipu(invocation, needs, async (quipu) => {
    const { commands, queries, clock, context, placeAt } = quipu;
    const accountId = await accountOf({ queries }, user);
    const deposit = {
      accountId,
      depositId,
      amountMicroUsd: toDecimal(amount),
      method: 'manual_credit',
      reason,
      depositedAt: instant(clock),
    } as const;
    const change = { type: 'DepositFunds', data: deposit } as const;
    const receipt = await commands.execute(new ChangeAccountCommand(change, context()));
    return { accountId, receipt, place: await placeAt(receipt.position) };
  });
  const credited = receipt.eventId !== null;
  const available = receipt.availableMicroUsd;
  const credit = credited
    ? `Credited ${inUsd(amount)} to ${user} as deposit ${depositId}`
    : `Deposit ${depositId} was credited before`;
  return {
    json: {
      account_id: accountId,
      deposit_id: depositId,
      credited,
      amount_micro_usd: toDecimal(amount),
      available_micro_usd: toDecimal(available),
      event_id: receipt.eventId,
      position: place,
    },
    text: `${credit}; ${inUsd(available)} available.`,
  };
};
