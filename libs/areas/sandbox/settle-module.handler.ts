import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type HoldEnd } from '#platform/ledger/hold.js';
import { Ledger } from '#platform/ledger/ledger.port.js';
import { type CommandContext, followUp } from '#platform/runtime/command-context.js';
import { RequestCutError } from '#platform/runtime/request-cut.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { SandboxError } from './sandbox.errors.js';

/** A run whose process ended, or could not determine its charge. */
export interface LeftModule {
  readonly accountId: string;
  readonly requestId: string;
  /** By the clock of its process, in milliseconds since the Unix epoch. */
  readonly startedAtMs: number;
}

/** Finds out whether a run was charged that was left; one that was not never will be. */
export class SettleModuleCommand extends Command<HoldEnd> {
  constructor(
    readonly left: LeftModule,
    /** Of the request that wants to know. */
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(SettleModuleCommand)
export class SettleModuleHandler implements ICommandHandler<SettleModuleCommand> {
  constructor(
    private readonly ledger: Ledger,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  execute({ left, context }: SettleModuleCommand): Promise<HoldEnd> {
    const { accountId, requestId, startedAtMs } = left;
    const { requestId: id, correlationId, actor } = context;
    return this.ledger.settle(
      {
        accountId,
        holdId: requestId,
        notBefore: new Date(startedAtMs).toISOString(),
        reason: 'internal_error',
        releasedAt: instant(this.clock),
      },
      // The request has its own hold to release; its ids are derived in the same way.
      followUp({ id, correlationId }, `settle ${requestId}`, actor),
    );
  }
}

/** Whether the charge of a run is known and final when it ends with this error. */
export const isSettledModule = (error: unknown): boolean =>
  error instanceof SandboxError ||
  error instanceof RequestCutError ||
  (error instanceof DomainError && error.code !== 'hold_not_open');
