import { Inject, Injectable } from '@nestjs/common';
import { type Clock } from '#platform/kernel/clock.js';
import { Ledger } from '#platform/ledger/ledger.port.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { EmbeddingModels } from './ports.js';
import { ScoringModels } from './scores/scoring.ports.js';

/** Rejects a request of an account without money before its body is validated and counted. */
@Injectable()
export class EmbeddingFunds {
  constructor(
    private readonly models: EmbeddingModels,
    private readonly scoring: ScoringModels,
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
    const isKnown = this.models.model(model) ?? this.#scores(model);
    const rate = isKnown && this.models.rateFor(model, this.clock.now());
    if (!rate) return undefined;
    const { inputMicroUsdPerMtok: input, searchMicroUsdPerThousand: searches = '0' } = rate;
    if (input === '0' && searches === '0') return undefined;
    return this.ledger.demandFunds(accountId, requestId);
  }
  #scores(model: string): true | undefined {
    const all = [...this.scoring.all('rerank'), ...this.scoring.all('moderation')];
    return all.some(({ id }) => id === model) || undefined;
  }
}
