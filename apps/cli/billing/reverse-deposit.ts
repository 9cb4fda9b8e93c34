import { ChangeAccountCommand } from '#areas/billing/change-account.handler.js';
import { instant } from '#platform/kernel/clock.js';
import { inUsd, type MicroUsd, toDecimal } from '#platform/kernel/money.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { accountOf } from '../user-option.js';

export interface ReverseDepositOptions extends CommonOptions {
  readonly user: string;
  readonly depositId: string;
  readonly kind: 'refund' | 'chargeback';
  /** In total. */
  readonly usd: MicroUsd;
  readonly reason: string;
}

export const reverseDeposit = async (
  { user, depositId, kind, usd: total, reason }: ReverseDepositOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const needs = {
    areas: ['identity', 'billing'],
    installation: 'exists',
    projections: [],
  } as const;
  return withQuipu(invocation, needs, async (quipu) => {
    const { commands, queries, clock, context, placeAt } = quipu;
    const accountId = await accountOf({ queries }, user);
    const reversedAt = instant(clock);
    const totalMicroUsd = toDecimal(total);
    const data = { accountId, depositId, kind, totalMicroUsd, reason, reversedAt };
    const change = { type: 'ReverseDeposit', data } as const;
    const receipt = await commands.execute(new ChangeAccountCommand(change, context()));
    const available = receipt.availableMicroUsd;
    const changed = receipt.eventId !== null;
    const sentence = changed
      ? `Took ${inUsd(total)} of deposit ${depositId} back from ${user}, in total`
      : `So much of deposit ${depositId} went back before`;
    return {
      json: {
        account_id: accountId,
        deposit_id: depositId,
        changed,
        total_micro_usd: totalMicroUsd,
        available_micro_usd: toDecimal(available),
        event_id: receipt.eventId,
        position: await placeAt(receipt.position),
      },
      text: `${sentence}; ${inUsd(available)} available.`,
    };
  });
};
