import { Inject, Injectable } from '@nestjs/common';
import { type Marking } from '#events/vaults/vault.events.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { MeterPrices } from '#platform/ledger/meter-prices.port.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { SubjectErasedError } from '#platform/secrets/subject-keys.js';
import { chunksOf } from './chunks.js';
import { Clearances, type VaultCaller } from './clearances.js';
import { bytesOfContent, encodeContent } from './document-content.js';
import { type DocumentLabel } from './labels.js';
import { lowest, markingOf, reaches } from './marking.js';
import { StoredVaults } from './stored-vaults.js';
import { type TextVectors, TextVectorizer } from './text-vectors.port.js';
import { demandNewFile, demandRoom } from './vault.decider.js';
import { BYTES_METER, meterLines } from './vault.product.js';
import { reject } from './vaults.errors.js';
import { VAULT_SETTINGS, type VaultSettings } from './vaults.settings.js';

export const TITLE_LENGTH_MAX = 256;
/** Chunks in one request for embeddings. */
const CHUNKS_AT_ONCE = 32;
/** A rotation of the key between the seal and the event repeats both. */
const SEALS_MAX = 3;

export interface IngestOrder {
  readonly vaultId: string;
  readonly title: string;
  readonly text: string;
  /** As its caller writes it; null: the lowest. */
  readonly marking: string | null;
  /** The file that has the text, with the words of its vector store. */
  readonly file?: Pick<DocumentLabel, 'attributes' | 'chunks'> & { readonly fileId: string };
}

/** A document that may be ingested. */
export interface OpenIngest {
  readonly accountId: string;
  readonly vaultId: string;
  readonly documentId: string;
  readonly fileId: string | null;
  readonly model: string;
  readonly label: DocumentLabel;
  readonly chunks: readonly string[];
  readonly storedBytes: number;
  readonly marking: Marking;
  /** Of its caller; the limits count what it may see. */
  readonly clearance: Marking;
}

export interface IngestProgress {
  readonly chunks: number;
  readonly embedded: Embedded;
}

export type Embedded = Omit<TextVectors, 'vectors'>;

/** Brings documents into vaults, for a request or a job. */
@Injectable()
export class VaultIngest {
  constructor(
    private readonly vaults: StoredVaults,
    private readonly clearances: Clearances,
    private readonly vectorizer: TextVectorizer,
    private readonly prices: MeterPrices,
    @Inject(VAULT_SETTINGS) private readonly settings: VaultSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Checks all that can be checked before the work. The errors depend on the caller and on what it
   * may see, never on hidden documents.
   * @throws DomainError
   */
  async open(
    { vaultId: asked, title, text, marking: written, file }: IngestOrder,
    caller: VaultCaller,
    { requestId }: CommandContext,
  ): Promise<OpenIngest> {
    const state = await this.vaults.find(asked, caller.accountId);
    const { words } = this.settings;
    const marking = written === null ? lowest(words) : markingOf(written, words);
    const clearance = await this.clearances.of(caller);
    if (!reaches(clearance, marking, words)) {
      const detail = 'classification_marking: expected one that the caller is cleared for';
      return reject('marking_above_clearance', detail);
    }
    const chunks = chunksOf(text, file?.chunks);
    const { vaultId, model, dimensions } = state.vault;
    const fileId = file?.fileId ?? null;
    const documentId = derivedId('vault document', requestId);
    if (!state.documents.has(documentId)) {
      demandNewFile(state, fileId, { clearance, words });
      demandRoom(state, chunks.length, { clearance, words }, this.settings);
    }
    const { accountId } = caller;
    const label = { title, attributes: file?.attributes ?? {}, chunks: file?.chunks ?? null };
    return {
      ...{ accountId, vaultId, documentId, fileId, model, label, chunks, marking, clearance },
      storedBytes: bytesOfContent({ chunks }, dimensions),
    };
  }

  /** The worst case. @throws DomainError `vault_not_priced` */
  held({ model, chunks, storedBytes }: OpenIngest, atMs: number) {
    const { lines, rateCardVersion } = this.vectorizer.held({ model, texts: chunks }, atMs);
    return { lines: [...lines, ...this.#bytes(storedBytes, atMs)], rateCardVersion };
  }

  /** The charge of an ingest, at the prices of its estimate. */
  charged({ model, storedBytes }: OpenIngest, embedded: Embedded, atMs: number) {
    const tokens = this.vectorizer.charged(model, embedded, atMs);
    return [...tokens, ...this.#bytes(storedBytes, atMs)];
  }

  #bytes(bytes: number, atMs: number) {
    return meterLines(this.prices, BYTES_METER, bytes, atMs);
  }

  /**
   * Embeds, seals and records a document; repeating it changes nothing.
   * @throws DomainError, errors of the vectorizer, the reason of the signal
   */
  async *run(
    ingest: OpenIngest,
    signal: AbortSignal,
    context: CommandContext,
  ): AsyncGenerator<IngestProgress, void, void> {
    const { model, accountId, chunks } = ingest;
    const vectors: Float32Array[] = [];
    let promptTokens = 0;
    for (let from = 0; from < chunks.length; from += CHUNKS_AT_ONCE) {
      signal.throwIfAborted();
      const texts = chunks.slice(from, from + CHUNKS_AT_ONCE);
      const done = await this.vectorizer.embed({ model, accountId, texts }, signal);
      vectors.push(...done.vectors);
      promptTokens += done.promptTokens;
      yield { chunks: vectors.length, embedded: { promptTokens, rig: done.rig } };
    }
    signal.throwIfAborted();
    await this.#store(ingest, vectors, promptTokens, context);
  }

  async #store(
    ingest: OpenIngest,
    vectors: readonly Float32Array[],
    promptTokens: number,
    context: CommandContext,
  ): Promise<void> {
    for (let seals = 1; ; seals += 1) {
      try {
        await this.#seal(ingest, vectors, promptTokens, context);
        return;
      } catch (error) {
        const isKeyChanged = error instanceof DomainError && error.code === 'vault_key_changed';
        const isAgain = isKeyChanged || error instanceof SubjectErasedError;
        if (!isAgain || seals >= SEALS_MAX) throw error;
      }
    }
  }

  async #seal(
    ingest: OpenIngest,
    vectors: readonly Float32Array[],
    promptTokens: number,
    context: CommandContext,
  ): Promise<void> {
    const { accountId, vaultId, documentId, fileId, label, chunks, marking, clearance } = ingest;
    const { keyGeneration, vault, documents } = await this.vaults.find(vaultId, accountId);
    if (documents.has(documentId)) return;
    if (vectors.some(({ length }) => length !== vault.dimensions)) {
      const detail = `model: ${vault.model} no longer makes vectors of ${vault.dimensions} values`;
      return reject('vault_model_unsuitable', detail);
    }
    const { content, headBytes } = encodeContent({ chunks }, vectors);
    const blob = await this.vaults.put(vaultId, keyGeneration, content);
    const sealedLabel = await this.vaults.sealLabel(vaultId, keyGeneration, label);
    const textBytes = chunks.reduce((sum, chunk) => sum + Buffer.byteLength(chunk), 0);
    const data = {
      ...{ documentId, fileId, marking, keyGeneration, blob, sealedLabel, headBytes, textBytes },
      storedBytes: content.length,
      ...{ chunks: chunks.length, promptTokens, ingestedAt: instant(this.clock) },
      sight: { clearance, words: this.settings.words },
      limits: this.settings,
    };
    await this.vaults.run(vaultId, { type: 'IngestDocument', data }, context);
    await this.vaults.retainContent(vaultId, [documentId]);
  }
}
