import { createHash } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Blobs } from '#platform/blobs/blobs.port.js';
import { inOnePiece } from '#platform/blobs/pieces.js';
import { createFolder } from '#platform/files/create-folder.js';
import { handOver, type TaskFile } from '#platform/tasks/task-file.js';
import { type Tasks } from '#platform/tasks/tasks.port.js';
import { blobOwnerOf } from './job-blobs.js';
import { type JobAttempt } from './job-type.js';

/** The services that move the files of an attempt. */
export interface FileServices {
  readonly tasks: Tasks;
  readonly blobs: Blobs;
  /** Absolute path. */
  readonly workFolder: string;
}

/**
 * The files of one attempt: in a folder that ends with it, and states as blobs of the account,
 * from which another attempt continues. A blob is kept for a day after its put.
 */
export class AttemptFiles implements AsyncDisposable {
  private constructor(
    private readonly services: FileServices,
    private readonly folder: string,
    private readonly owner: string,
  ) {}

  static async open(
    services: FileServices,
    { jobId, attempt, accountId }: Pick<JobAttempt<unknown>, 'jobId' | 'attempt' | 'accountId'>,
  ): Promise<AttemptFiles> {
    const folder = path.join(services.workFolder, `${jobId}-${attempt}`);
    await createFolder(folder);
    return new AttemptFiles(services, folder, blobOwnerOf(accountId));
  }

  /** A file for the engine. @throws TaskError `no_worker` */
  async write(name: string, content: Uint8Array): Promise<TaskFile> {
    const file = path.join(this.folder, name);
    await writeFile(file, content, { mode: 0o600 });
    return handOver(this.services.tasks, { file, sha256: sha256Of(content) });
  }

  /** The address of the blob. @throws BlobError, SubjectErasedError */
  async keep(state: Uint8Array): Promise<string> {
    const { address } = await this.services.blobs.put(inOnePiece(state), { owner: this.owner });
    return address;
  }

  /** A kept state as a file for the engine. @throws BlobError; TaskError `no_worker` */
  async writeKept(name: string, address: string): Promise<TaskFile> {
    const { content } = await this.services.blobs.open({ address, owner: this.owner });
    return this.write(name, Buffer.concat(await Array.fromAsync(content)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

export const sha256Of = (content: Uint8Array): string =>
  createHash('sha256').update(content).digest('hex');
