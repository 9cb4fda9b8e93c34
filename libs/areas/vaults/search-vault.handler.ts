import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type LedgerEntry, type Release } from '#platform/ledger/hold.js';
import { type PaidOrder } from '#platform/ledger/paid-work/paid-order.js';
import { type HeldRequest, PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { cutOf } from '#platform/runtime/commands/request-cut.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type VaultCaller } from './clearances.js';
import { TextVectorizer } from './text-vectors.port.js';
import {
  type OpenSearch,
  type SearchAnswer,
  type SearchOrder,
  VaultSearch,
} from './vault-search.js';
import { vaultSearchProduct } from './vault.product.js';
import { VaultFailure } from './vaults.failures.js';
import { VAULT_SETTINGS, type VaultSettings } from './vaults.settings.js';

export interface PaidSearchOrder extends PaidOrder {
  readonly search: SearchOrder;
  readonly caller: VaultCaller;
}

export interface PaidSearch {
  readonly answer: SearchAnswer;
  readonly entry: LedgerEntry;
}

/** Searches a vault: holds the worst case, searches, records, charges. */
export class SearchVaultCommand extends Command<PaidSearch> {
  constructor(
    readonly order: PaidSearchOrder,
    /** Aborted with a `RequestCutError` when this process stops or the request takes too long. */
    readonly signal: AbortSignal,
  ) {
    super();
  }
}

@CommandHandler(SearchVaultCommand)
export class SearchVaultHandler implements ICommandHandler<SearchVaultCommand> {
  constructor(
    private readonly searches: VaultSearch,
    private readonly vectorizer: TextVectorizer,
    private readonly paid: PaidRequests,
    @Inject(VAULT_SETTINGS) private readonly settings: VaultSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError, VaultFailure, RequestCutError, errors of the vectorizer */
  async execute({ order, signal }: SearchVaultCommand): Promise<PaidSearch> {
    const { search: asked, caller, ...paidOrder } = order;
    const search = await this.searches.open(asked, caller);
    const pricedAtMs = this.clock.now();
    const evidence = { vaultId: search.vaultId, top: search.top };
    const held = await this.paid.admit(
      { ...paidOrder, signal },
      {
        ...{ purpose: vaultSearchProduct.purpose, ...this.searches.held(search, pricedAtMs) },
        ...{ evidence, pricedAtMs, requestMsMax: this.settings.requestMsMax },
      },
    );
    const answer = await this.#search(search, order, held, signal);
    const entry = await held.capture({
      ...held.charged(this.searches.charged(search, answer, pricedAtMs)),
      usageSource: 'counted',
      outcome: 'completed',
      evidence: { ...evidence, index: answer.index, hits: answer.found.length },
    });
    return { answer, entry };
  }

  /** The log has the search before its answer is charged and sent. */
  async #search(
    search: OpenSearch,
    { context }: PaidSearchOrder,
    held: HeldRequest,
    signal: AbortSignal,
  ): Promise<SearchAnswer> {
    try {
      const answer = await this.searches.run(search, signal);
      await this.searches.record(search, answer, context);
      return answer;
    } catch (error) {
      await held.release(reasonOf(error, signal, this.vectorizer));
      throw cutOf(signal) ?? error;
    }
  }
}

export const reasonOf = (
  error: unknown,
  signal: AbortSignal,
  vectorizer: TextVectorizer,
): Release['reason'] => {
  const cut = cutOf(signal);
  if (cut) return cut.reason;
  if (error instanceof DomainError) return 'refused';
  if (error instanceof VaultFailure) return 'upstream_failed';
  return vectorizer.reasonOf(error) ?? 'internal_error';
};
