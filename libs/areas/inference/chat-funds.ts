import { Inject, Injectable } from '@nestjs/common';
import { type Clock } from '#platform/kernel/clock.js';
import { Ledger } from '#platform/ledger/ledger.port.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { MODEL_CATALOG, type ModelCatalog } from './ports.js';

/** Rejects a chat of an account without money before its body is validated and counted. */
@Injectable()
export class ChatFunds {
  constructor(
    @Inject(MODEL_CATALOG) private readonly catalog: ModelCatalog,
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
    const id = this.catalog.model(model, accountId)?.id;
    const rate = id === undefined ? undefined : this.catalog.rateFor(id, this.clock.now());
    if (!rate) return undefined;
    const { inputMicroUsdPerMtok, outputMicroUsdPerMtok } = rate;
    if (inputMicroUsdPerMtok === '0' && outputMicroUsdPerMtok === '0') return undefined;
    return this.ledger.demandFunds(accountId, requestId);
  }
}
