import { Inject, Injectable } from '@nestjs/common';
import {
  type DocumentsResealed,
  type SealedBlob,
  type VaultEvent,
  vaultEvents,
} from '#events/vaults/vault.events.js';
import { type BlobRange, type BlobRef, Blobs } from '#platform/blobs/blobs.port.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { type CommandOutcome, CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { CLOCK, CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { type Secrets } from '#platform/secrets/secrets.js';
import { SECRETS } from '#platform/secrets/tokens.js';
import { type DocumentLabel, NO_LABEL, type VaultLabel } from './labels.js';
import {
  type OpenVault,
  type VaultCommand,
  vaultDecider,
  type VaultDocument,
  type VaultState,
} from './vault.decider.js';
import { vaultNotFound } from './vaults.errors.js';

const VAULT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const VAULT_FIELD = 'vault.label';
const DOCUMENT_FIELD = 'document.label';
/** Documents that one step of a rotation seals with the new key. */
export const RESEALED_AT_ONCE = 16;

/** Vaults as events, and their content as blobs that are sealed with a key of the vault. */
@Injectable()
export class StoredVaults {
  readonly #runner: CommandRunner<VaultCommand, VaultState, VaultEvent>;

  constructor(
    private readonly blobs: Blobs,
    @Inject(SECRETS) private readonly secrets: Pick<Secrets, 'subjects'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(EVENT_STORE) eventStore: EventStore,
    @Inject(CODEC) codec: EventCodec,
  ) {
    const decider = vaultDecider;
    this.#runner = new CommandRunner({ decider, eventStore, codec: codec.for(vaultEvents) });
  }

  /** @throws DomainError */
  run(
    vaultId: string,
    command: VaultCommand,
    context: CommandContext,
  ): Promise<CommandOutcome<VaultState, VaultEvent>> {
    return this.#runner.run(streamOf(vaultId), command, context);
  }

  async stateOf(vaultId: string): Promise<VaultState> {
    return (await this.#runner.stateOf(streamOf(vaultId))).state;
  }

  /** @throws DomainError `vault_not_found`, also for a vault of another account */
  async find(vaultId: string, accountId: string): Promise<OpenVault> {
    const id = vaultId.toLowerCase();
    const state = VAULT_ID.test(id) ? await this.stateOf(id) : null;
    return state?.status === 'open' && state.vault.accountId === accountId
      ? state
      : vaultNotFound();
  }

  sealVaultLabel(userId: number, label: VaultLabel): Promise<string> {
    return this.secrets.subjects.seal(userSubject(userId), VAULT_FIELD, JSON.stringify(label));
  }

  /** Null once the user was erased. */
  async vaultLabelOf(userId: number, sealedLabel: string): Promise<VaultLabel | null> {
    const label = await this.secrets.subjects.open(userSubject(userId), VAULT_FIELD, sealedLabel);
    return label === null ? null : (JSON.parse(label) as VaultLabel);
  }

  /** @throws SubjectErasedError for a vault that was erased */
  sealLabel(vaultId: string, keyGeneration: number, label: DocumentLabel): Promise<string> {
    const subject = subjectOf(vaultId, keyGeneration);
    return this.secrets.subjects.seal(subject, DOCUMENT_FIELD, JSON.stringify(label));
  }

  /** Empty once the key was destroyed. */
  async labelOf(vaultId: string, document: VaultDocument): Promise<DocumentLabel> {
    const subject = subjectOf(vaultId, document.keyGeneration);
    const label = await this.secrets.subjects.open(subject, DOCUMENT_FIELD, document.sealedLabel);
    return label === null ? NO_LABEL : (JSON.parse(label) as DocumentLabel);
  }

  /** Durable when it resolves. @returns the address */
  async put(vaultId: string, keyGeneration: number, content: Buffer): Promise<string> {
    const source = (async function* () {
      yield await Promise.resolve(content);
    })();
    return (await this.blobs.put(source, { owner: subjectOf(vaultId, keyGeneration) })).address;
  }

  /** @throws BlobError */
  head(vaultId: string, document: VaultDocument): Promise<Buffer> {
    return this.#read(vaultId, document, { start: 0, end: document.headBytes });
  }

  /** @throws BlobError */
  vectors(vaultId: string, document: VaultDocument): Promise<Buffer> {
    return this.#read(vaultId, document, { start: document.headBytes });
  }

  /** For an ingest or a rotation that may have crashed before it retained its content. */
  async retainContent(vaultId: string, documentIds: readonly string[]): Promise<void> {
    const state = await this.stateOf(vaultId);
    if (state.status !== 'open') return;
    for (const documentId of documentIds) {
      const document = state.documents.get(documentId);
      if (document) {
        await this.blobs.retainOrReport(blobOf(vaultId, document), holderOf(vaultId, documentId));
      }
    }
  }

  async release(vaultId: string, documents: readonly SealedBlob[]): Promise<void> {
    for (const document of documents) {
      await this.blobs.release(blobOf(vaultId, document), holderOf(vaultId, document.documentId));
    }
  }

  /**
   * Seals some documents with the newest key, and destroys the older keys once none is left.
   * Repeating it continues.
   */
  async reseal(vaultId: string, context: CommandContext): Promise<void> {
    const state = await this.stateOf(vaultId);
    if (state.status !== 'open') return;
    const { keyGeneration } = state;
    const older = [...state.documents.values()]
      .filter((document) => document.keyGeneration < keyGeneration)
      .slice(0, RESEALED_AT_ONCE);
    if (older.length === 0) return this.#destroyOldKeys(vaultId, state, context);
    const documents: DocumentsResealed['data']['documents'][number][] = [];
    for (const document of older) {
      documents.push(await this.#resealed(vaultId, document, keyGeneration));
    }
    const data = { keyGeneration, documents, resealedAt: instant(this.clock) };
    await this.run(vaultId, { type: 'ResealDocuments', data }, context);
  }

  /** After the event that erased it: no copy of its content opens any more. */
  async destroyKeys(vaultId: string): Promise<void> {
    const state = await this.stateOf(vaultId);
    if (state.status !== 'erased') return;
    for (let generation = 1; generation <= state.keyGeneration; generation += 1) {
      await this.secrets.subjects.erase(subjectOf(vaultId, generation));
    }
    await this.release(vaultId, [...state.documents.values()]);
  }

  async #destroyOldKeys(
    vaultId: string,
    { keyGeneration, keysDestroyed }: OpenVault,
    context: CommandContext,
  ): Promise<void> {
    for (let generation = keysDestroyed + 1; generation < keyGeneration; generation += 1) {
      await this.secrets.subjects.erase(subjectOf(vaultId, generation));
    }
    const data = { destroyedAt: instant(this.clock) };
    await this.run(vaultId, { type: 'DestroyOldKeys', data }, context);
  }

  async #resealed(vaultId: string, document: VaultDocument, keyGeneration: number) {
    const { documentId, blob: oldBlob, keyGeneration: oldGeneration } = document;
    const content = await this.#read(vaultId, document, { start: 0 });
    const label = await this.labelOf(vaultId, document);
    const blob = await this.put(vaultId, keyGeneration, content);
    const sealedLabel = await this.sealLabel(vaultId, keyGeneration, label);
    const before = { documentId, blob: oldBlob, keyGeneration: oldGeneration };
    return { documentId, blob, keyGeneration, sealedLabel, before };
  }

  async #read(vaultId: string, document: VaultDocument, range: BlobRange): Promise<Buffer> {
    const { content } = await this.blobs.open(blobOf(vaultId, document), range);
    return Buffer.concat(await Array.fromAsync(content));
  }
}

const streamOf = (vaultId: string): string => `vault-${vaultId}`;

/** Of the key that seals the content of a vault. */
const subjectOf = (vaultId: string, keyGeneration: number): string =>
  `vault:${vaultId}:${keyGeneration}`;

/** The subject of the key of a user, as the identity area erases it. */
const userSubject = (userId: number): string => `user:${userId}`;

const holderOf = (vaultId: string, documentId: string): string => `vault:${vaultId}:${documentId}`;

const blobOf = (vaultId: string, { blob, keyGeneration }: SealedBlob): BlobRef => ({
  address: blob,
  owner: subjectOf(vaultId, keyGeneration),
});
