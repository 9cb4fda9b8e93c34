import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { type AccountCommand } from './account.decider.js';
import { type AccountReceipt, type Accounts, ACCOUNTS } from './accounts.js';
import { searchDeposits } from './deposit-search.js';
import { runOnAccount } from './run-on-account.js';

/** Any command of the account's decider, for callers outside billing that use Nest's bus. */
export class ChangeAccountCommand extends Command<AccountReceipt> {
  constructor(
    readonly change: AccountCommand,
    readonly context: CommandContext,
  ) {
    super();
  }
}

/** @throws DomainError with a code of `billing.errors.ts`, ContentionError, EventStoreError */
@CommandHandler(ChangeAccountCommand)
export class ChangeAccountHandler implements ICommandHandler<ChangeAccountCommand> {
  constructor(
    @Inject(ACCOUNTS) private readonly accounts: Accounts,
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
    @Inject(CODEC) private readonly codec: EventCodec,
  ) {}

  async execute({ change, context }: ChangeAccountCommand): Promise<AccountReceipt> {
    try {
      return await runOnAccount(this.accounts, change, context);
    } catch (error) {
      const names = change.type === 'DepositFunds' || change.type === 'ReverseDeposit';
      if (!names || !isUnsearched(error)) throw error;
      const searched = await searchDeposits(change.data, this.eventStore, this.codec);
      const again = { ...change, data: { ...change.data, searched } } as typeof change;
      return runOnAccount(this.accounts, again, context);
    }
  }
}

const isUnsearched = (error: unknown): boolean =>
  error instanceof DomainError && error.code === 'deposits_not_searched';
