import { Inject } from '@nestjs/common';
import {
  Command,
  CommandHandler,
  type ICommandHandler,
  type IQueryHandler,
  Query,
  QueryHandler,
} from '@nestjs/cqrs';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { Clearances, type VaultCaller } from './clearances.js';
import { markingOf, textOf } from './marking.js';
import { VAULT_SETTINGS, type VaultSettings } from './vaults.settings.js';

export interface ClearanceOrder {
  readonly accountId: string;
  /** Null: the account itself. */
  readonly keyId: string | null;
  /** As an operator writes it; null withdraws the clearance. */
  readonly clearance: string | null;
}

/** Sets what an account, or one of its keys, may see in vaults. Only for operators. */
export class SetClearanceCommand extends Command<ClearanceOrder> {
  constructor(
    readonly order: ClearanceOrder,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(SetClearanceCommand)
export class SetClearanceHandler implements ICommandHandler<SetClearanceCommand> {
  constructor(
    private readonly clearances: Clearances,
    @Inject(VAULT_SETTINGS) private readonly settings: VaultSettings,
  ) {}

  /** @throws DomainError `invalid_marking`, `too_many_clearances` */
  async execute({ order, context }: SetClearanceCommand): Promise<ClearanceOrder> {
    const { accountId, keyId } = order;
    const clearance =
      order.clearance === null ? null : markingOf(order.clearance, this.settings.words);
    await this.clearances.set({ accountId, keyId, clearance }, context);
    return { accountId, keyId, clearance: clearance && textOf(clearance) };
  }
}

/** The clearance in force. */
export class ClearanceQuery extends Query<string> {
  constructor(readonly caller: VaultCaller) {
    super();
  }
}

@QueryHandler(ClearanceQuery)
export class ClearanceHandler implements IQueryHandler<ClearanceQuery> {
  constructor(private readonly clearances: Clearances) {}

  async execute({ caller }: ClearanceQuery): Promise<string> {
    return textOf(await this.clearances.of(caller));
  }
}
