import { type CommandContext } from '#platform/runtime/commands/command-context.js';

/** Micro-dollars. */
export interface TeamFunds {
  /** Allotments that arrived, less the returned ones. */
  readonly funded: bigint;
  readonly charged: bigint;
  readonly held: bigint;
  readonly available: bigint;
}

export interface TeamTransfer {
  readonly fromId: string;
  readonly toId: string;
  /** The same one moves once. */
  readonly allotmentId: string;
  /** Decimal micro-dollars. */
  readonly amountMicroUsd: string;
  readonly reason: string;
}

/** The accounts of teams; the composition root binds it to billing. */
export abstract class TeamAccounts {
  /** @returns the levels above the sub-account @throws DomainError of billing */
  abstract add(
    account: { readonly accountId: string; readonly childId: string },
    context: CommandContext,
  ): Promise<number>;

  /** @throws DomainError of billing */
  abstract move(transfer: TeamTransfer, context: CommandContext): Promise<void>;

  /** The free money goes to the account above. @throws DomainError of billing */
  abstract close(accountId: string, context: CommandContext): Promise<void>;

  abstract fundsOf(accountId: string): Promise<TeamFunds>;
}
