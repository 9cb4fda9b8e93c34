import { Inject, Injectable } from '@nestjs/common';
import {
  type FileCreated,
  type FileEvent,
  fileEvents,
  type FilePurpose,
} from '#events/files/file.events.js';
import { type UserId } from '#events/vocabulary.js';
import { BlobError } from '#platform/blobs/blobs.errors.js';
import { type BlobRange, type BlobRef, Blobs } from '#platform/blobs/blobs.port.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { CLOCK, CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { type Secrets } from '#platform/secrets/secrets.js';
import { SECRETS } from '#platform/secrets/tokens.js';
import { maySee, type Reader } from '#platform/runtime/projections/reader.js';
import { type FileCommand, fileDecider, type FileState } from './file.decider.js';
import { FileStore, type NewFile, type StagedContent, type StoredFile } from './file-store.js';
import { notFound, reject } from './files.errors.js';
import { FILE_SETTINGS, type FileSettings } from './files.settings.js';

const NAME_FIELD = 'file.name';

/** Files as events, and their content as blobs that are sealed with the key of their user. */
@Injectable()
export class StoredFiles extends FileStore {
  readonly #runner: CommandRunner<FileCommand, FileState, FileEvent>;

  constructor(
    private readonly blobs: Blobs,
    @Inject(SECRETS) private readonly secrets: Pick<Secrets, 'subjects'>,
    @Inject(FILE_SETTINGS) private readonly settings: FileSettings,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(EVENT_STORE) eventStore: EventStore,
    @Inject(CODEC) codec: EventCodec,
  ) {
    super();
    const decider = fileDecider;
    this.#runner = new CommandRunner({ decider, eventStore, codec: codec.for(fileEvents) });
  }

  override async find(fileId: string, reader: Reader): Promise<StoredFile> {
    const { state } = await this.#runner.stateOf(fileId);
    if (state.status !== 'present') return notFound(fileId);
    const isAllowed = maySee(reader, state.file.accountId);
    if (!isAllowed || this.isExpired(state.file)) return notFound(fileId);
    return this.#stored(state.file);
  }

  override async open({ fileId, blob }: StoredFile, range?: BlobRange) {
    try {
      return (await this.blobs.open(blob, range)).content;
    } catch (error) {
      if (error instanceof BlobError && error.code === 'blob-erased') return notFound(fileId);
      throw error;
    }
  }

  override async stage(
    content: AsyncIterable<Uint8Array>,
    userId: UserId,
    purpose: FilePurpose = 'user_data',
    bytesLeft = Infinity,
  ): Promise<StagedContent> {
    const bytesMax = Math.min(this.settings.bytesMax[purpose], bytesLeft);
    try {
      const blob = await this.blobs.put(content, { owner: subjectOf(userId), bytesMax });
      return { userId, blob };
    } catch (error) {
      const isTooLarge = error instanceof BlobError && error.code === 'blob-too-large';
      if (isTooLarge) return tooLarge(bytesMax);
      throw error;
    }
  }

  /** Retains the content last: until then, and for a day, a sweep keeps it without a reference. */
  override async create(
    { accountId, purpose, name, expiresAfterSeconds }: NewFile,
    { userId, blob }: StagedContent,
    context: CommandContext,
  ): Promise<StoredFile> {
    const bytesMax = this.settings.bytesMax[purpose];
    if (blob.bytes > bytesMax) return tooLarge(bytesMax);
    const createdAtMs = this.clock.now();
    const fileId = fileIdOf(context);
    const data: FileCreated['data'] = {
      fileId,
      accountId,
      userId,
      purpose,
      sealedName: await this.secrets.subjects.seal(subjectOf(userId), NAME_FIELD, name),
      bytes: blob.bytes,
      blob: blob.address,
      createdAt: new Date(createdAtMs).toISOString(),
      expiresAt:
        expiresAfterSeconds === null
          ? null
          : new Date(createdAtMs + expiresAfterSeconds * 1_000).toISOString(),
    };
    const { state } = await this.#runner.run(fileId, { type: 'CreateFile', data }, context);
    if (state.status !== 'present') return notFound(fileId);
    await this.blobs.retain(blobOf(state.file), holderOf(fileId));
    return this.#stored(state.file);
  }

  override async delete(fileId: string, reader: Reader, context: CommandContext): Promise<void> {
    const accountId = reader === 'admin' ? null : reader.accountId;
    const data = { fileId, accountId, deletedAt: instant(this.clock) };
    await this.#runner.run(fileId, { type: 'DeleteFile', data }, context);
    await this.releaseContent(fileId);
  }

  async expire(fileId: string, context: CommandContext): Promise<void> {
    const data = { fileId, expiredAt: instant(this.clock) };
    await this.#runner.run(fileId, { type: 'ExpireFile', data }, context);
  }

  /** For a creation that may have crashed before it retained its content. */
  async retainContent(fileId: string): Promise<void> {
    const { state } = await this.#runner.stateOf(fileId);
    if (state.status !== 'present') return;
    await this.blobs.retainOrReport(blobOf(state.file), holderOf(fileId));
  }

  async releaseContent(fileId: string): Promise<void> {
    const { state } = await this.#runner.stateOf(fileId);
    if (state.status === 'deleted') await this.blobs.release(blobOf(state.file), holderOf(fileId));
  }

  /** The timer of an expired file may be late. */
  isExpired({ expiresAt }: Pick<StoredFile, 'expiresAt'>): boolean {
    return expiresAt !== null && Date.parse(expiresAt) <= this.clock.now();
  }

  /** Null once the user was erased. */
  nameOf(userId: number, sealedName: string): Promise<string | null> {
    return this.secrets.subjects.open(subjectOf(userId), NAME_FIELD, sealedName);
  }

  async #stored(file: FileCreated['data']): Promise<StoredFile> {
    const { fileId, accountId, userId, purpose, bytes, createdAt, expiresAt } = file;
    const name = await this.nameOf(userId, file.sealedName);
    if (name === null) return notFound(fileId);
    const blob = blobOf(file);
    return { fileId, accountId, userId, purpose, name, bytes, blob, createdAt, expiresAt };
  }
}

/** The subject of the key of a user, as the identity area erases it. */
const subjectOf = (userId: number): string => `user:${userId}`;

const blobOf = ({ userId, blob }: FileCreated['data']): BlobRef => ({
  address: blob,
  owner: subjectOf(userId),
});

const holderOf = (fileId: string): string => `file:${fileId}`;

const tooLarge = (bytesMax: number): never =>
  reject('file_too_large', `the file has more than ${bytesMax} bytes`);

const fileIdOf = ({ requestId }: CommandContext): string =>
  `file-${derivedId('file', requestId).replaceAll('-', '')}`;
