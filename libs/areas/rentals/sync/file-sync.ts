import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Inject, Injectable } from '@nestjs/common';
import { type JobId } from '#events/jobs/job.events.js';
import { type UserId } from '#events/vocabulary.js';
import { applyDeltaInThread } from '#platform/delta/delta-thread.js';
import { DeltaError } from '#platform/delta/delta.error.js';
import { type DeltaFormat } from '#platform/delta/delta-format.js';
import { JobStreams } from '#platform/jobs/job-streams.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { PortPool } from '../ports/port-pool.js';
import { reject } from '../rentals.errors.js';
import { RENTAL_SETTINGS, type RentalSettings } from '../rentals.settings.js';
import { RentalFolders } from '../running/rental-folders.js';
import { Workspaces } from '../workspaces/workspaces.js';
import { type Checksum } from './checksum.js';
import { ConfinedFile } from './confined-file.js';
import { digestOf, discard, type IncomingFile, receive } from './incoming-file.js';
import { TurnsByFile } from './turns-by-file.js';

/** A rental whose files may be synced now. */
export interface SyncedRental {
  readonly rentalId: JobId;
  readonly accountId: string;
  readonly userId: UserId;
}

export interface SyncOrder {
  readonly filePath: string;
  readonly isDelta: boolean;
  /** Of the file as it will be. */
  readonly checksum: Checksum | null;
  /** Of the file as it is, for a delta. */
  readonly baseChecksum: Checksum | null;
}

export interface SyncedFile {
  readonly filePath: string;
  readonly bytes: number;
  /** Of the algorithm that the order named; SHA-256 where it named none. */
  readonly checksum: string;
}

/** The content of a file, durable, before it is moved to its place. */
interface Prepared {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly md5: string | null;
  readonly delta: DeltaFormat | null;
}

/** Puts files into the workspaces of running rentals: each appears as a whole, or stays. */
@Injectable()
export class FileSync {
  readonly #turns = new TurnsByFile();

  constructor(
    private readonly ports: PortPool,
    private readonly streams: JobStreams,
    private readonly folders: RentalFolders,
    private readonly workspaces: Workspaces,
    @Inject(RENTAL_SETTINGS) private readonly settings: Pick<RentalSettings, 'fileBytesMax'>,
  ) {}

  /**
   * The running rental of an account with this number.
   * @throws DomainError `sync_job_not_found`
   */
  async rental(
    jobNumber: number,
    { accountId, userId }: Pick<SyncedRental, 'accountId' | 'userId'>,
  ): Promise<SyncedRental> {
    const block = await this.ports.find(jobNumber);
    if (block?.accountId === accountId) {
      const { rentalId } = block;
      const job = await this.streams.stateOf(rentalId);
      if (job.status === 'running') return { rentalId, accountId, userId };
    }
    const message = 'Job not found: you have no active running job with this job_id';
    return reject('sync_job_not_found', message);
  }

  /**
   * Stores content as it arrives.
   * @param bytesMax below the limit of a file, for a caller that is not known yet
   * @throws DomainError `sync_file_too_large`
   */
  async receive(content: AsyncIterable<Uint8Array>, bytesMax?: number): Promise<IncomingFile> {
    const { fileBytesMax } = this.settings;
    await this.folders.createIncoming();
    const limit = Math.min(bytesMax ?? fileBytesMax, fileBytesMax);
    return receive(content, this.folders.incoming, limit);
  }

  async discard({ path: file }: IncomingFile): Promise<void> {
    await discard(file);
  }

  /**
   * Replaces a file by the content, or by the result of the content, a delta.
   * @param incoming removed, whatever happens
   * @throws DomainError
   */
  async sync(
    rental: SyncedRental,
    order: SyncOrder,
    incoming: IncomingFile,
    signal: AbortSignal,
    context: CommandContext,
  ): Promise<SyncedFile> {
    const { rentalId } = rental;
    const { filePath } = order;
    try {
      const work = () => this.#replace(rental, order, incoming, signal);
      const { bytes, sha256, md5, delta } = await this.#turns.take(`${rentalId}/${filePath}`, work);
      const facts = { filePath, bytes, receivedBytes: incoming.bytes, sha256, delta };
      await this.workspaces.recordSync(rental, facts, context);
      const checksum = order.checksum?.algorithm === 'md5' ? md5 : sha256;
      return { filePath, bytes, checksum: checksum ?? sha256 };
    } finally {
      await discard(incoming.path);
    }
  }

  async #replace(
    { rentalId }: SyncedRental,
    order: SyncOrder,
    incoming: IncomingFile,
    signal: AbortSignal,
  ): Promise<Prepared> {
    await this.folders.appear(rentalId);
    const file = await ConfinedFile.open(this.folders.of(rentalId).workspace, order.filePath);
    try {
      const prepared = order.isDelta
        ? await this.#patched(file, order, incoming, signal)
        : { ...incoming, delta: null };
      try {
        demandChecksum(order.checksum, prepared);
        await file.replace(prepared.path);
      } finally {
        await discard(prepared.path);
      }
      return prepared;
    } finally {
      await file.close();
    }
  }

  /** Applies the delta to a copy of the base, which the program may change meanwhile. */
  async #patched(
    file: ConfinedFile,
    { checksum, baseChecksum }: SyncOrder,
    incoming: IncomingFile,
    signal: AbortSignal,
  ): Promise<Prepared> {
    const base = await file.read();
    if (!base) {
      const message = 'there is no file to apply the delta to: send the whole file';
      return reject('sync_base_missing', message);
    }
    const [copy, result] = [this.#temporary(), this.#temporary()];
    try {
      await copyTo(copy, base);
      await demandBase(baseChecksum, base);
      const applied = await applyDeltaInThread(
        {
          delta: incoming.path,
          base: copy,
          result,
          scratch: this.folders.incoming,
          resultBytesMax: this.settings.fileBytesMax,
          withMd5: checksum?.algorithm === 'md5',
        },
        signal,
      ).catch((error: unknown) => rejectDelta(error));
      const { format, ...content } = applied;
      return { path: result, ...content, delta: format };
    } catch (error) {
      await discard(result);
      throw error;
    } finally {
      await discard(copy);
      await base.close();
    }
  }

  #temporary(): string {
    return path.join(this.folders.incoming, randomUUID());
  }
}

const copyTo = async (copy: string, base: FileHandle): Promise<void> => {
  const content = base.createReadStream({ start: 0, autoClose: false });
  await pipeline(content, createWriteStream(copy, { flags: 'wx', mode: 0o600 }));
};

const demandBase = async (expected: Checksum | null, base: FileHandle): Promise<void> => {
  if (!expected || (await digestOf(base, expected.algorithm)) === expected.hex) return;
  reject('sync_base_mismatch', 'the file is not the one that base_checksum names');
};

const demandChecksum = (
  expected: Checksum | null,
  prepared: Pick<Prepared, 'sha256' | 'md5'>,
): void => {
  if (!expected || prepared[expected.algorithm] === expected.hex) return;
  const algorithm = expected.algorithm.toUpperCase();
  const message = `the content does not have this ${algorithm}; nothing changed`;
  reject('sync_checksum_mismatch', message);
};

const rejectDelta = (error: unknown): never => {
  if (!(error instanceof DeltaError)) throw error;
  const { code, message } = error;
  if (code === 'too_large') return reject('sync_file_too_large', message);
  if (code === 'base_mismatch') return reject('sync_base_mismatch', message);
  return reject('sync_delta_invalid', message);
};
