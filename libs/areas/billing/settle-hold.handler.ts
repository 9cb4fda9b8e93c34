import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type HoldCaptured } from '#events/billing/account.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type CommandContext } from '#platform/runtime/command-context.js';
import { EVENT_STORE } from '#platform/runtime/tokens.js';
import { type AccountCommand } from './account.decider.js';
import { type Accounts, ACCOUNTS, accountStream } from './accounts.js';
import { type BillingRefusal } from './billing.refusals.js';
import { runOnAccount } from './run-on-account.js';

/** The clocks of a fleet and of its event store agree to within this. */
export const CLOCK_SKEW_MS_MAX = 5 * 60 * 1_000;

/** What became of a hold; `free`: it was not charged, and will not be. */
export type HoldEnd = 'free' | 'charged';

/**
 * Frees a hold that its request has left, unless it was charged: for one that may have been placed,
 * and may have ended, nobody knows how.
 */
export class SettleHoldCommand extends Command<HoldEnd> {
  constructor(
    readonly data: (AccountCommand & { readonly type: 'ReleaseHold' })['data'] & {
      /** ISO 8601: nothing that happened to the hold is older, by the clock of who placed it. */
      readonly notBefore: string;
    },
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(SettleHoldCommand)
export class SettleHoldHandler implements ICommandHandler<SettleHoldCommand> {
  constructor(
    @Inject(ACCOUNTS) private readonly accounts: Accounts,
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
  ) {}

  async execute({ data, context }: SettleHoldCommand): Promise<HoldEnd> {
    const { notBefore, ...release } = data;
    try {
      await runOnAccount(this.accounts, { type: 'ReleaseHold', data: release }, context);
      return 'free';
    } catch (error) {
      const code: BillingRefusal = 'hold_not_open';
      if (!(error instanceof DomainError) || error.code !== code) throw error;
      return this.#endOf(release.accountId, release.holdId, Date.parse(notBefore));
    }
  }

  /** Holds that have ended are not in the state of their account: it would grow with every request. */
  async #endOf(accountId: string, holdId: string, notBeforeMs: number): Promise<HoldEnd> {
    const stream = accountStream(accountId);
    for await (const page of this.eventStore.read(stream, { direction: 'backwards' })) {
      for (const { type, data, recordedAt } of page) {
        if (Date.parse(recordedAt) < notBeforeMs - CLOCK_SKEW_MS_MAX) return 'free';
        // Its last event says it all. Those of other holds, most of them, need no reviving.
        const isOfHold = (data as Partial<HoldCaptured['data']>).holdId === holdId;
        if (isOfHold)
          return type === ('HoldCaptured' satisfies HoldCaptured['type']) ? 'charged' : 'free';
      }
    }
    return 'free';
  }
}
