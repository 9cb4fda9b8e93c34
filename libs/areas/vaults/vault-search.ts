import { Inject, Injectable } from '@nestjs/common';
import { type PriceLine } from '#events/hold.vocabulary.js';
import { type Marking, VaultSearched } from '#events/vaults/vault.events.js';
import { isBlobGone } from '#platform/blobs/blobs.errors.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type Decider } from '#platform/kernel/decider.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { MeterPrices } from '#platform/ledger/meter-prices.port.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { CLOCK, CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { TEXT_HASHER, type TextHasher } from '#platform/secrets/keyed-hasher.js';
import { isReadable } from './chunks.js';
import { Clearances, type VaultCaller } from './clearances.js';
import { decodeHead } from './document-content.js';
import { textOf } from './marking.js';
import { StoredVaults } from './stored-vaults.js';
import { type TextVectors, TextVectorizer } from './text-vectors.port.js';
import { type OpenVault, type VaultDocument, visibleIn } from './vault.decider.js';
import { VaultMemory } from './vault-memory.js';
import { reject } from './vaults.errors.js';
import { meterLines, VECTOR_METER } from './vault.product.js';
import { type AttributeFilter, matches } from './attribute-filter.js';
import { type Attributes } from './labels.js';
import { VAULT_SETTINGS, type VaultSettings } from './vaults.settings.js';
import { type VectorAnswer } from './vectors.engine.js';

export const TOP_DEFAULT = 5;
export const TOP_MAX = 100;
export const QUERY_LENGTH_MAX = 8_192;

export interface SearchOrder {
  readonly vaultId: string;
  readonly query: string;
  readonly top: number;
  /** Left out: all documents that the caller may see are searched. */
  readonly filter?: AttributeFilter | undefined;
}

/** A search that may run: what its caller may see, at an instant. */
export interface OpenSearch extends SearchOrder {
  readonly accountId: string;
  readonly state: OpenVault;
  readonly clearance: Marking;
  readonly documents: readonly VaultDocument[];
}

export interface FoundChunk {
  readonly documentId: string;
  readonly fileId: string | null;
  readonly title: string;
  readonly attributes: Attributes;
  readonly marking: string;
  readonly chunk: number;
  readonly text: string;
  /** The cosine of the query and the chunk. */
  readonly score: number;
}

export interface SearchAnswer {
  readonly vaultId: string;
  readonly model: string;
  readonly clearance: string;
  readonly found: readonly FoundChunk[];
  readonly index: VectorAnswer['index'];
  readonly recall: number;
  readonly vectorsSearched: number;
  /** Of the query. */
  readonly embedded: Omit<TextVectors, 'vectors'>;
}

type SearchCommand = { readonly type: 'RecordSearch'; readonly data: VaultSearched['data'] };

/** One search is one stream, so a repeat of its request records it once. */
const searchDecider: Decider<SearchCommand, { readonly isKnown: boolean }, VaultSearched> = {
  initialState: { isKnown: false },
  decide: ({ data }, { isKnown }) => (isKnown ? [] : [VaultSearched.of(data)]),
  evolve: () => ({ isKnown: true }),
};

/** Searches a vault for a request or a tool, within the clearance of its caller. */
@Injectable()
export class VaultSearch {
  readonly #runner: CommandRunner<SearchCommand, { readonly isKnown: boolean }, VaultSearched>;

  constructor(
    private readonly vaults: StoredVaults,
    private readonly clearances: Clearances,
    private readonly memory: VaultMemory,
    private readonly vectorizer: TextVectorizer,
    private readonly prices: MeterPrices,
    @Inject(TEXT_HASHER) private readonly hash: TextHasher,
    @Inject(VAULT_SETTINGS) private readonly settings: VaultSettings,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(EVENT_STORE) eventStore: EventStore,
    @Inject(CODEC) codec: EventCodec,
  ) {
    const decider = searchDecider;
    this.#runner = new CommandRunner({ decider, eventStore, codec: codec.for([VaultSearched]) });
  }

  /** @throws DomainError `vault_not_found`, `vault_query_empty` */
  async open(order: SearchOrder, caller: VaultCaller): Promise<OpenSearch> {
    const state = await this.vaults.find(order.vaultId, caller.accountId);
    if (!isReadable(order.query)) {
      return reject('vault_query_empty', 'query: expected a text with letters or digits');
    }
    const clearance = await this.clearances.of(caller);
    const visible = visibleIn(state, { clearance, words: this.settings.words });
    const { vaultId } = state.vault;
    const { filter } = order;
    const documents = filter ? await this.#matching(vaultId, visible, filter) : visible;
    return { ...order, vaultId, accountId: caller.accountId, state, clearance, documents };
  }

  /** The worst case. @throws DomainError `vault_not_priced` */
  held({ state, query, documents }: OpenSearch, atMs: number) {
    const tokens = this.vectorizer.held({ model: state.vault.model, texts: [query] }, atMs);
    const chunks = documents.reduce((sum, document) => sum + document.chunks, 0);
    const { rateCardVersion } = tokens;
    return { lines: [...tokens.lines, ...this.#linesOf(chunks, atMs)], rateCardVersion };
  }

  /** @throws DomainError, VaultFailure, errors of the vectorizer */
  async run(search: OpenSearch, signal: AbortSignal): Promise<SearchAnswer> {
    const { state, accountId, query, documents, top, filter } = search;
    const { vaultId, model } = state.vault;
    const asked = { model, accountId, texts: [query] };
    const { vectors, ...embedded } = await this.vectorizer.embed(asked, signal);
    const [vector = new Float32Array(state.vault.dimensions)] = vectors;
    const wanted = { documents, isPart: filter !== undefined };
    const answer = await this.memory.search(vaultId, wanted, vector, top);
    signal.throwIfAborted();
    return {
      vaultId,
      model,
      clearance: textOf(search.clearance),
      found: await this.#textsOf(search, answer),
      index: answer.index,
      recall: answer.recall,
      vectorsSearched: answer.rows,
      embedded,
    };
  }

  /** The charge of a search, at the prices of its estimate. */
  charged(search: OpenSearch, answer: SearchAnswer, atMs: number): readonly PriceLine[] {
    const { model } = search.state.vault;
    const tokens = this.vectorizer.charged(model, answer.embedded, atMs);
    return [...tokens, ...this.#linesOf(answer.vectorsSearched, atMs)];
  }

  async record(search: OpenSearch, answer: SearchAnswer, context: CommandContext): Promise<void> {
    const searchId = derivedId('vault search', context.requestId);
    const data = {
      searchId,
      vaultId: search.vaultId,
      accountId: search.accountId,
      clearance: search.clearance,
      queryHash: this.hash(search.query),
      top: search.top,
      hits: answer.found.length,
      vectorsSearched: answer.vectorsSearched,
      index: answer.index,
      searchedAt: instant(this.clock),
    };
    await this.#runner.run(`vaultsearch-${searchId}`, { type: 'RecordSearch', data }, context);
  }

  async #matching(
    vaultId: string,
    documents: readonly VaultDocument[],
    filter: AttributeFilter,
  ): Promise<readonly VaultDocument[]> {
    const found: VaultDocument[] = [];
    for (const document of documents) {
      const { attributes } = await this.vaults.labelOf(vaultId, document);
      if (matches(filter, attributes)) found.push(document);
    }
    return found;
  }

  #linesOf(vectors: number, atMs: number): readonly PriceLine[] {
    return meterLines(this.prices, VECTOR_METER, vectors, atMs);
  }

  /** A document that is deleted meanwhile is left out. */
  async #textsOf({ vaultId }: OpenSearch, { hits }: VectorAnswer): Promise<FoundChunk[]> {
    const state = await this.vaults.stateOf(vaultId);
    if (state.status !== 'open') return [];
    const ids = [...new Set(hits.map(({ document }) => document))];
    const read = await Promise.all(
      ids.map(async (id) => [id, await this.#open(vaultId, state.documents.get(id))] as const),
    );
    const documents = new Map(read);
    return hits.flatMap(({ document, chunk, score }) => {
      const known = documents.get(document);
      if (!known) return [];
      const { chunks, ...shown } = known;
      return [{ documentId: document, ...shown, chunk, text: chunks[chunk] ?? '', score }];
    });
  }

  async #open(vaultId: string, document: VaultDocument | undefined) {
    if (!document) return null;
    try {
      const { chunks } = decodeHead(await this.vaults.head(vaultId, document));
      const { title, attributes } = await this.vaults.labelOf(vaultId, document);
      const { fileId, marking } = document;
      return { fileId, title, attributes, marking: textOf(marking), chunks };
    } catch (error) {
      if (isBlobGone(error)) return null;
      throw error;
    }
  }
}
