import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type AccountEvent } from '#events/billing/account.events.js';
import { statementMonthOf } from '#events/billing/statement-month.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type MicroUsd, toDecimal } from '#platform/kernel/money.js';
import { type PriceCard } from '#platform/ledger/price-card.js';
import { type CommandContext, followUp } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type AccountCommand } from '../account.decider.js';
import { type Accounts, ACCOUNTS } from '../accounts.js';
import { type BillingErrorCode } from '../billing.errors.js';
import { runOnAccount } from '../run-on-account.js';
import { type RepriceOrder, RepriceCharges } from './reprice-charges.js';
import { type RepricedAccount } from './repricing.js';

/** Prices that one re-rating may change. */
export const RERATED_LINES_MAX = 2_000;

export interface RerateOrder extends RepriceOrder {
  /** Of the statements: `YYYY-MM`. */
  readonly month: string;
  readonly reason: string;
  /** Write nothing. */
  readonly isDryRun: boolean;
}

export interface ReratedAccount extends RepricedAccount {
  /** Above zero: given back. Zero: nothing to correct. */
  readonly difference: MicroUsd;
  /** The domain error that rejected the adjustment, or null. */
  readonly rejection: string | null;
  /** Null where nothing was written. */
  readonly eventId: string | null;
}

export interface ReratedMonth {
  readonly accounts: readonly ReratedAccount[];
  readonly position: bigint;
}

/**
 * Prices the charges of a month with another card, and adjusts each account by the difference from
 * its charges and earlier re-ratings. A repeat finds no difference.
 */
export class RerateMonthCommand extends Command<ReratedMonth> {
  constructor(
    readonly order: RerateOrder,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RerateMonthCommand)
export class RerateMonthHandler implements ICommandHandler<RerateMonthCommand> {
  constructor(
    private readonly charges: RepriceCharges,
    @Inject(ACCOUNTS) private readonly accounts: Accounts,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ order, context }: RerateMonthCommand): Promise<ReratedMonth> {
    const { month } = order;
    const isOfMonth = (event: AccountEvent): boolean =>
      (event.type === 'HoldCaptured' && statementMonthOf(event) === month) ||
      (event.type === 'ChargeAdjusted' && event.data.refersTo.month === month);
    const { accounts, position } = await this.charges.run(order, isOfMonth);
    const rerated: ReratedAccount[] = [];
    for (const account of accounts) rerated.push(await this.#adjust(account, order, context));
    return { accounts: rerated, position };
  }

  async #adjust(
    account: RepricedAccount,
    order: RerateOrder,
    context: CommandContext,
  ): Promise<ReratedAccount> {
    const difference = account.charged - account.rerated - account.repriced;
    const found = { ...account, difference, rejection: null, eventId: null };
    if (difference === 0n || order.isDryRun) return found;
    if (account.lines.length > RERATED_LINES_MAX) {
      return { ...found, rejection: 'statement_too_large' satisfies BillingErrorCode };
    }
    try {
      const own = followUp(
        { id: context.requestId, correlationId: context.correlationId },
        `rerate ${account.accountId}`,
        context.actor,
      );
      const command = this.#command(account, order, difference);
      return { ...found, eventId: (await runOnAccount(this.accounts, command, own)).eventId };
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return { ...found, rejection: String(error.code) };
    }
  }

  #command(
    { accountId, charged, rerated, repriced, reratings, lines }: RepricedAccount,
    { month, reason, card }: RerateOrder,
    difference: MicroUsd,
  ): AccountCommand {
    const data = {
      accountId,
      // Two runs at the same time have the same number: one of them changes nothing or is rejected.
      adjustmentId: `rerating-${month}-${reratings + 1}`,
      kind: 'rerating',
      amountMicroUsd: toDecimal(difference),
      refersTo: { month, holdId: null },
      rerating: {
        ...sourceOf(card),
        fromMicroUsd: toDecimal(charged - rerated),
        toMicroUsd: toDecimal(repriced),
        lines: lines.map((line) => ({ ...line, quantity: line.quantity.toString() })),
      },
      reason,
      adjustedAt: instant(this.clock),
    } as const;
    return { type: 'AdjustCharge', data };
  }
}

const sourceOf = ({ version, sourceSha256 }: PriceCard) => ({
  rateCardVersion: version,
  sourceSha256,
});
