import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Beneficiary } from '#events/payouts/earning.events.js';
import { type Withholding } from '#events/payouts/payout.events.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type MicroUsd, toDecimal } from '#platform/kernel/money.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { Payees } from './payees.js';
import { reject } from './payouts.errors.js';
import { WithholdingTax } from './withholding-tax.port.js';

/** Asks for a payout of earnings. The id of the request is the id of the payout. */
export class RequestPayoutCommand extends Command<string> {
  constructor(
    readonly beneficiary: Beneficiary,
    /** Null: everything that is not asked for yet. */
    readonly amountMicroUsd: MicroUsd | null,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RequestPayoutCommand)
export class RequestPayoutHandler implements ICommandHandler<RequestPayoutCommand> {
  constructor(
    private readonly payees: Payees,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `payout_not_positive`, `payout_above_accrued` */
  async execute({ beneficiary, amountMicroUsd, context }: RequestPayoutCommand): Promise<string> {
    const payoutId = context.requestId;
    const accrued = await this.payees.accruedOf(beneficiary);
    const { committed } = await this.payees.stateOf(beneficiary);
    const data = {
      beneficiary,
      payoutId,
      requestedAt: instant(this.clock),
      amountMicroUsd: toDecimal(amountMicroUsd ?? atLeastZero(accrued - committed)),
      accruedMicroUsd: toDecimal(accrued),
    };
    await this.payees.run({ type: 'RequestPayout', data }, context);
    return payoutId;
  }
}

/** Corrections may have lowered what is earned below what was asked for. */
const atLeastZero = (amount: MicroUsd): MicroUsd => (amount > 0n ? amount : 0n);

/** A payout of one beneficiary. */
export interface PayoutRef {
  readonly beneficiary: Beneficiary;
  readonly payoutId: string;
}

/** The facts that decide the tax: an Admin states them. */
export type PayeeTax = Pick<Withholding, 'country' | 'incomeType' | 'treatyClaimed'>;

/** Approves a payout, and decides the tax that is withheld. */
export class ApprovePayoutCommand extends Command<void> {
  constructor(
    readonly payout: PayoutRef,
    readonly tax: PayeeTax,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ApprovePayoutCommand)
export class ApprovePayoutHandler implements ICommandHandler<ApprovePayoutCommand> {
  constructor(
    private readonly payees: Payees,
    private readonly taxes: WithholdingTax,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * @throws DomainError `payout_not_found`, `payout_not_requested`, `payout_above_accrued`; as the
   *   port does
   */
  async execute({ payout, tax, context }: ApprovePayoutCommand): Promise<void> {
    const { beneficiary, payoutId } = payout;
    const known = (await this.payees.stateOf(beneficiary)).payouts.get(payoutId);
    if (!known) return reject('payout_not_found', `there is no payout ${payoutId}`);
    const approvedAt = instant(this.clock);
    const payment = { ...tax, amountMicroUsd: known.amount, on: approvedAt };
    const { withheldMicroUsd, ...rule } = await this.taxes.decide(payment);
    const withholding = { ...tax, ...rule, withheldMicroUsd: toDecimal(withheldMicroUsd) };
    const accruedMicroUsd = toDecimal(await this.payees.accruedOf(beneficiary));
    const data = { ...payout, accruedMicroUsd, withholding, approvedAt };
    await this.payees.run({ type: 'ApprovePayout', data }, context);
  }
}

/** Ends a payout without a payment. */
export class RejectPayoutCommand extends Command<void> {
  constructor(
    readonly payout: PayoutRef,
    readonly reason: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RejectPayoutCommand)
export class RejectPayoutHandler implements ICommandHandler<RejectPayoutCommand> {
  constructor(
    private readonly payees: Payees,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `payout_not_found`, `payout_already_paid` */
  async execute({ payout, reason, context }: RejectPayoutCommand): Promise<void> {
    const data = { ...payout, reason, rejectedAt: instant(this.clock) };
    await this.payees.run({ type: 'RejectPayout', data }, context);
  }
}

/** Records that the net amount was transferred. */
export class PayPayoutCommand extends Command<void> {
  constructor(
    readonly payout: PayoutRef,
    readonly reference: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(PayPayoutCommand)
export class PayPayoutHandler implements ICommandHandler<PayPayoutCommand> {
  constructor(
    private readonly payees: Payees,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `payout_not_found`, `payout_not_approved`, `payout_already_paid` */
  async execute({ payout, reference, context }: PayPayoutCommand): Promise<void> {
    const data = { ...payout, reference, paidAt: instant(this.clock) };
    await this.payees.run({ type: 'PayPayout', data }, context);
  }
}
