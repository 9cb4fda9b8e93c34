import { Inject } from '@nestjs/common';
import {
  Command,
  CommandHandler,
  type ICommandHandler,
  type IQueryHandler,
  Query,
  QueryHandler,
} from '@nestjs/cqrs';
import { type SubAccountAdded } from '#events/billing/allotment.events.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type MicroUsd, toDecimal } from '#platform/kernel/money.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type Accounts, ACCOUNTS, accountStream } from './accounts.js';
import { type AllotmentOrder, type AllotmentReceipt } from './allotment.rules.js';

/**
 * Adds a sub-account and opens it.
 * @throws DomainError `too_many_sub_accounts`, `tree_too_deep`
 */
export class AddSubAccountCommand extends Command<SubAccountAdded['data']> {
  constructor(
    readonly data: { readonly accountId: string; readonly childId: string },
    readonly context: CommandContext,
  ) {
    super();
  }
}

/** The second half of it. */
export class OpenSubAccountCommand extends Command<void> {
  constructor(
    readonly data: SubAccountAdded['data'],
    readonly context: CommandContext,
  ) {
    super();
  }
}

/**
 * Moves money between an account and the account above it or one of its sub-accounts.
 * @throws DomainError `not_related`, `allotment_above_available`, `allotment_conflict`
 */
export class MoveAllotmentCommand extends Command<void> {
  constructor(
    readonly order: Omit<AllotmentOrder, 'sentAt'>,
    readonly context: CommandContext,
  ) {
    super();
  }
}

/**
 * Closes a sub-account, whose free money goes to the account above.
 * @throws DomainError `holds_open`, `sub_accounts_open`, `account_overdrawn`
 */
export class CloseAccountCommand extends Command<void> {
  constructor(
    readonly accountId: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

/** The second half of it: money that has left arrives. */
export class DeliverAllotmentCommand extends Command<void> {
  constructor(
    readonly receipt: Omit<AllotmentReceipt, 'receivedAt'>,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(OpenSubAccountCommand)
export class OpenSubAccountHandler implements ICommandHandler<OpenSubAccountCommand> {
  constructor(
    @Inject(ACCOUNTS) private readonly accounts: Accounts,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ data, context }: OpenSubAccountCommand): Promise<void> {
    const { accountId: parentId, childId: accountId, depth } = data;
    const openedAt = instant(this.clock);
    const account = { accountId, currency: 'USD', tree: { parentId, depth }, openedAt } as const;
    const command = { type: 'OpenAccount', data: account } as const;
    await this.accounts.run(accountStream(accountId), command, context);
  }
}

@CommandHandler(AddSubAccountCommand)
export class AddSubAccountHandler implements ICommandHandler<AddSubAccountCommand> {
  constructor(
    @Inject(ACCOUNTS) private readonly accounts: Accounts,
    private readonly opening: OpenSubAccountHandler,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ data, context }: AddSubAccountCommand): Promise<SubAccountAdded['data']> {
    const added = { ...data, addedAt: instant(this.clock) };
    const command = { type: 'AddSubAccount', data: added } as const;
    const { state } = await this.accounts.run(accountStream(data.accountId), command, context);
    const subAccount = { ...added, depth: state.depth + 1 };
    await this.opening.execute(new OpenSubAccountCommand(subAccount, context));
    return subAccount;
  }
}

@CommandHandler(DeliverAllotmentCommand)
export class DeliverAllotmentHandler implements ICommandHandler<DeliverAllotmentCommand> {
  constructor(
    @Inject(ACCOUNTS) private readonly accounts: Accounts,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ receipt, context }: DeliverAllotmentCommand): Promise<void> {
    const data = { ...receipt, receivedAt: instant(this.clock) };
    const command = { type: 'ReceiveAllotment', data } as const;
    await this.accounts.run(accountStream(receipt.accountId), command, context);
  }
}

@CommandHandler(MoveAllotmentCommand)
export class MoveAllotmentHandler implements ICommandHandler<MoveAllotmentCommand> {
  constructor(
    @Inject(ACCOUNTS) private readonly accounts: Accounts,
    private readonly delivery: DeliverAllotmentHandler,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ order, context }: MoveAllotmentCommand): Promise<void> {
    const { accountId: fromId, toId: accountId } = order;
    const command = {
      type: 'SendAllotment',
      data: { ...order, sentAt: instant(this.clock) },
    } as const;
    const { state } = await this.accounts.run(accountStream(fromId), command, context);
    const totalMicroUsd = toDecimal(state.relatives.get(accountId)?.sent ?? 0n);
    const receipt = { accountId, fromId, totalMicroUsd };
    await this.delivery.execute(new DeliverAllotmentCommand(receipt, context));
  }
}

@CommandHandler(CloseAccountCommand)
export class CloseAccountHandler implements ICommandHandler<CloseAccountCommand> {
  constructor(
    @Inject(ACCOUNTS) private readonly accounts: Accounts,
    private readonly delivery: DeliverAllotmentHandler,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ accountId: childId, context }: CloseAccountCommand): Promise<void> {
    const closedAt = instant(this.clock);
    const closing = { accountId: childId, allotmentId: context.requestId, closedAt };
    const command = { type: 'CloseAccount', data: closing } as const;
    const { state } = await this.accounts.run(accountStream(childId), command, context);
    for (const [accountId, { relation, sent }] of state.relatives) {
      if (relation !== 'parent') continue;
      const receipt = { accountId, fromId: childId, totalMicroUsd: toDecimal(sent) };
      await this.delivery.execute(new DeliverAllotmentCommand(receipt, context));
      const ofParent = { type: 'CloseSubAccount', data: { accountId, childId, closedAt } } as const;
      await this.accounts.run(accountStream(accountId), ofParent, context);
    }
  }
}

/** The money of an account, as its next decision sees it. */
export interface AccountFunds {
  /** Deposits and allotments, less sent ones. */
  readonly funded: MicroUsd;
  readonly charged: MicroUsd;
  readonly held: MicroUsd;
  readonly available: MicroUsd;
}

export class AccountFundsQuery extends Query<AccountFunds> {
  constructor(readonly accountId: string) {
    super();
  }
}

/** Reads the stream of the account and no read model. */
@QueryHandler(AccountFundsQuery)
export class AccountFundsHandler implements IQueryHandler<AccountFundsQuery> {
  constructor(@Inject(ACCOUNTS) private readonly accounts: Accounts) {}

  async execute({ accountId }: AccountFundsQuery): Promise<AccountFunds> {
    const { state } = await this.accounts.stateOf(accountStream(accountId));
    const { deposited: funded, charged, held, available } = state;
    return { funded, charged, held, available };
  }
}
