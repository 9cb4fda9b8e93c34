import { Inject, Injectable } from '@nestjs/common';
import {
  type AdapterEvent,
  adapterEvents,
  type AdapterUploaded,
} from '#events/adapters/adapter.events.js';
import { type UserId } from '#events/vocabulary.js';
import { BlobError } from '#platform/blobs/blobs.errors.js';
import { type BlobRef, Blobs } from '#platform/blobs/blobs.port.js';
import { inOnePiece } from '#platform/blobs/pieces.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import {
  type AccountAdapters,
  type AdapterCommand,
  adapterDecider,
  demandRoomFor,
  findIn,
  isKnown,
} from './adapter.decider.js';
import { notFound } from './adapters.errors.js';

export type UploadedAdapter = AdapterUploaded['data'];

/** Without what storing gives it. */
export type NewAdapter = Omit<UploadedAdapter, 'adapterId' | 'blob'>;

/** Uploaded adapters as events of their account, and their weights as sealed blobs. */
@Injectable()
export class StoredAdapters {
  readonly #runner: CommandRunner<AdapterCommand, AccountAdapters, AdapterEvent>;

  constructor(
    private readonly blobs: Blobs,
    @Inject(EVENT_STORE) eventStore: EventStore,
    @Inject(CODEC) codec: EventCodec,
  ) {
    const decider = adapterDecider;
    this.#runner = new CommandRunner({ decider, eventStore, codec: codec.for(adapterEvents) });
  }

  /** By its id or its slug; undefined for the adapter of another account. */
  async find(accountId: string, asked: string): Promise<UploadedAdapter | undefined> {
    const { state } = await this.#runner.stateOf(streamOf(accountId));
    return findIn(state, asked);
  }

  /**
   * The check comes first, then the weights, the event and the reference: a rejected upload stores
   * nothing. A crash in between leaves content that a sweep collects, or an event whose content the
   * saga retains.
   * @throws DomainError `adapter_slug_taken`, `adapter_limit_reached`
   */
  async upload(
    adapter: NewAdapter,
    weights: Buffer,
    adaptersMax: number,
    context: CommandContext,
  ): Promise<UploadedAdapter> {
    const { accountId, userId } = adapter;
    const adapterId = `adapter-${derivedId('adapter', context.requestId).replaceAll('-', '')}`;
    const { state: before } = await this.#runner.stateOf(streamOf(accountId));
    if (!isKnown(before, adapterId)) demandRoomFor(before, adapter.slug, adaptersMax);
    const stored = await this.blobs.put(inOnePiece(weights), { owner: subjectOf(userId) });
    const uploaded = { ...adapter, adapterId, blob: stored.address };
    const { state } = await this.#runner.run(
      streamOf(accountId),
      { type: 'UploadAdapter', data: { adapter: uploaded, adaptersMax } },
      context,
    );
    const present = state.present.get(adapterId) ?? notFound(adapterId);
    await this.blobs.retain(blobOf(present), holderOf(adapterId));
    return present;
  }

  /** @throws DomainError `adapter_not_found`, also for the adapter of another account */
  async remove(
    accountId: string,
    asked: string,
    removedAt: string,
    context: CommandContext,
  ): Promise<UploadedAdapter> {
    const adapter = (await this.find(accountId, asked)) ?? notFound(asked);
    const data = { asked: adapter.adapterId, removedAt };
    await this.#runner.run(streamOf(accountId), { type: 'RemoveAdapter', data }, context);
    await this.settleContent(accountId, adapter.adapterId);
    return adapter;
  }

  /**
   * Retains the content of an adapter that is present, and releases the content of a removed one.
   */
  async settleContent(accountId: string, adapterId: string): Promise<void> {
    const { state } = await this.#runner.stateOf(streamOf(accountId));
    const [present, removed] = [state.present.get(adapterId), state.removed.get(adapterId)];
    if (present) await this.blobs.retainOrReport(blobOf(present), holderOf(adapterId));
    else if (removed) await this.blobs.release(blobOf(removed), holderOf(adapterId));
  }

  /** @throws DomainError `adapter_not_found` once the user was erased; BlobError */
  async weights(adapter: UploadedAdapter): Promise<Buffer> {
    try {
      const { content } = await this.blobs.open(blobOf(adapter));
      return Buffer.concat(await Array.fromAsync(content));
    } catch (error) {
      const isErased = error instanceof BlobError && error.code === 'blob-erased';
      if (isErased) return notFound(adapter.adapterId);
      throw error;
    }
  }
}

const streamOf = (accountId: string): string => `adapters-${accountId}`;

/** The subject of the key of a user, as the identity area erases it. */
const subjectOf = (userId: UserId): string => `user:${userId}`;

const blobOf = ({ userId, blob }: UploadedAdapter): BlobRef => ({
  address: blob,
  owner: subjectOf(userId),
});

const holderOf = (adapterId: string): string => `adapter:${adapterId}`;
