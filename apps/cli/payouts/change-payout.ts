import {
  ApprovePayoutCommand,
  type PayeeTax,
  PayPayoutCommand,
  type PayoutRef,
  RejectPayoutCommand,
} from '#areas/payouts/payout.handlers.js';
import { type Beneficiary } from '#events/payouts/earning.events.js';
import { confirm } from '../confirmation.js';
import {
  type CommonOptions,
  type Invocation,
  type IrreversibleOptions,
  type Outcome,
} from '../invocation.js';
import { type Quipu, withQuipu } from '../quipu.context.js';
import { PAYOUT_NEEDS } from './payout-needs.js';

interface PayoutOptions extends CommonOptions {
  readonly beneficiary: Beneficiary;
  readonly payout: string;
}

export interface ApprovePayoutOptions extends PayoutOptions {
  readonly country: string;
  readonly incomeType: PayeeTax['incomeType'];
  readonly treaty?: boolean;
}

export interface RejectPayoutOptions extends PayoutOptions {
  readonly reason: string;
}

export interface PayPayoutOptions extends PayoutOptions, IrreversibleOptions {
  readonly reference: string;
}

const change = async (
  { beneficiary, payout: payoutId }: PayoutOptions,
  invocation: Invocation,
  status: 'approved' | 'rejected' | 'paid',
  send: (payout: PayoutRef, quipu: Quipu) => Promise<void>,
): Promise<Outcome> => {
  const payout = { beneficiary, payoutId };
  await withQuipu(invocation, PAYOUT_NEEDS, (quipu) => send(payout, quipu));
  return {
    json: { beneficiary, payout_id: payoutId, status },
    text: `The payout ${payoutId} of ${beneficiary} is ${status}.`,
  };
};

export const approvePayout = (
  options: ApprovePayoutOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const { country, incomeType, treaty: treatyClaimed = false } = options;
  const tax = { country, incomeType, treatyClaimed };
  return change(options, invocation, 'approved', (payout, { commands, context }) =>
    commands.execute(new ApprovePayoutCommand(payout, tax, context())),
  );
};

export const rejectPayout = (
  options: RejectPayoutOptions,
  invocation: Invocation,
): Promise<Outcome> =>
  change(options, invocation, 'rejected', (payout, { commands, context }) =>
    commands.execute(new RejectPayoutCommand(payout, options.reason, context())),
  );

export const payPayout = async (
  options: PayPayoutOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const { payout } = options;
  const consequence = `This records for good that the payout ${payout} was transferred.`;
  await confirm(
    { word: payout, consequence, otherwise: 'nothing was recorded' },
    options,
    invocation,
  );
  return change(options, invocation, 'paid', (payout, { commands, context }) =>
    commands.execute(new PayPayoutCommand(payout, options.reference, context())),
  );
};
