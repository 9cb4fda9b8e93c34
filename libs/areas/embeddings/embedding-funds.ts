import { Inject, Injectable } from '@nestjs/common';
import { type Clock } from '#platform/kernel/clock.js';
import { Ledger } from '#platform/ledger/ledger.port.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { EmbeddingModels } from './ports.js';

/** Rejects a request of an account without money before its body is validated and counted. */
@Injectable()
export class EmbeddingFunds {
  constructor(
    private readonly models: EmbeddingModels,
    private readonly ledger: Ledger,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Accepts an unknown model, which fails later by its name, and a free one.
   * @param model as the caller sent it, of any type
   * @throws DomainError `insufficient_balance`
   */
  demand(accountId: string, model: unknown, requestId?: string): void | Promise<void> {
    if (typeof model !== 'string') return undefined;
    const id = this.models.model(model)?.id;
    const rate = id === undefined ? undefined : this.models.rateFor(id, this.clock.now());
    if (!rate || rate.inputMicroUsdPerMtok === '0') return undefined;
    return this.ledger.demandFunds(accountId, requestId);
  }
}
