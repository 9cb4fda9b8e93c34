import { randomUUID } from 'node:crypto';
import { ChangeAccountCommand } from '#areas/billing/change-account.handler.js';
import { instant } from '#platform/kernel/clock.js';
import { inUsd, type MicroUsd, toDecimal } from '#platform/kernel/money.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { accountOf } from '../user-option.js';

export interface CreditNoteOptions extends CommonOptions {
  readonly user: string;
  readonly usd: MicroUsd;
  readonly month: string;
  readonly request?: string;
  readonly reason: string;
  readonly id?: string;
}

export const creditNote = async (
  { user, usd: amount, month, request, reason, id = randomUUID() }: CreditNoteOptions,
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
    const data = {
      accountId,
      adjustmentId: id,
      kind: 'credit_note',
      amountMicroUsd: toDecimal(amount),
      refersTo: { month, holdId: request ?? null },
      rerating: null,
      reason,
      adjustedAt: instant(clock),
    } as const;
    const change = { type: 'AdjustCharge', data } as const;
    const receipt = await commands.execute(new ChangeAccountCommand(change, context()));
    return { accountId, receipt, place: await placeAt(receipt.position) };
  });
  const given = receipt.eventId !== null;
  const available = receipt.availableMicroUsd;
  const note = given
    ? `Gave back ${inUsd(amount)} to ${user} for ${month} as credit note ${id}`
    : `Credit note ${id} was given before`;
  return {
    json: {
      account_id: accountId,
      adjustment_id: id,
      given,
      amount_micro_usd: toDecimal(amount),
      available_micro_usd: toDecimal(available),
      event_id: receipt.eventId,
      position: place,
    },
    text: `${note}; ${inUsd(available)} available.`,
  };
};
