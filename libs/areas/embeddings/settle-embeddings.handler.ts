import { Inject, Injectable } from '@nestjs/common';
import { type Clock } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type HoldEnd } from '#platform/ledger/hold.js';
import { Ledger } from '#platform/ledger/ledger.port.js';
import { type LeftRequest, settleLeft } from '#platform/ledger/left-request.js';
import { type CommandContext } from '#platform/runtime/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { RequestCutError } from '#platform/runtime/request-cut.js';
import { EmbeddingRigs } from './ports.js';

/** Finds out whether a request was charged that was left; one that was not never will be. */
@Injectable()
export class SettleEmbeddingsHandler {
  constructor(
    private readonly ledger: Ledger,
    private readonly rigs: EmbeddingRigs,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @param context of the request that wants to know */
  execute(left: LeftRequest, context: CommandContext): Promise<HoldEnd> {
    return settleLeft(this.ledger, this.clock, left, context);
  }

  /** Whether the charge of a request is known and final when it ends with this error. */
  isSettled(error: unknown): boolean {
    if (error instanceof RequestCutError || this.rigs.failureOf(error) !== null) return true;
    // Rejected before anything was held; billing's word that a hold is gone says not how it went.
    return error instanceof DomainError && error.code !== 'hold_not_open';
  }
}
