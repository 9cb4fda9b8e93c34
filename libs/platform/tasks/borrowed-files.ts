import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename, rm, utimes } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Logger } from 'pino';
import { type Bus, type BusMessage } from '#platform/bus/bus.port.js';
import { createFolder } from '#platform/files/create-folder.js';
import { TimedOutError, within } from '#platform/kernel/within.js';
import { tidy } from './borrowed-folder.js';
import {
  type BorrowedFile,
  FilePart,
  filePartsTopicOf,
  fileRequestsTopicOf,
  PartHeaders,
  partPlace,
  type PartRequest,
  requestPlace,
} from './file.protocol.js';
import { LazyListener } from './lazy-listener.js';
import { type TaskSeal } from './task.seal.js';

export interface BorrowedFilesOptions {
  readonly bus: Pick<Bus, 'publish' | 'listen'>;
  /** The name of this worker. */
  readonly worker: string;
  readonly seal: TaskSeal;
  /** For the copies alone; an absolute path, which may be absent. */
  readonly folder: string;
  readonly logger: Pick<Logger, 'warn'>;
  /** How long one part may take; default 5 s. */
  readonly partMs?: number;
  /** Of all copies together; default 1 GiB. */
  readonly bytesMax?: number;
}

const PART_MS = 5_000;
const BYTES_MAX = 1_073_741_824;
/** A lost message of a part is asked for again. */
const TRIES = 3;

/** The lender does not send the file, or sends another one. */
export class FileNotBorrowedError extends Error {
  override readonly name = 'FileNotBorrowedError';
}

/**
 * The side of a worker: copies of the files that tasks name, each by the SHA-256 of its contents.
 * The copies that were unused for longest make room for new ones.
 */
export class BorrowedFiles {
  readonly #copying = new Map<string, Promise<string>>();
  /** Digests of the copies that this process has read. */
  readonly #checked = new Set<string>();
  readonly #awaited = new Map<string, (part: FilePart) => void>();
  readonly #parts: LazyListener;

  constructor(private readonly options: BorrowedFilesOptions) {
    const { bus, worker, logger } = options;
    const handle = (message: BusMessage): void => this.#hear(message);
    this.#parts = new LazyListener({ bus, topic: filePartsTopicOf(worker), logger, handle });
  }

  /** Removes what is left of another process, and copies that were unused for long. */
  async start(): Promise<void> {
    await this.#tidy();
  }

  stop(): Promise<void> {
    return this.#parts.close();
  }

  /**
   * The absolute path of a copy, which is made if there is none. Tasks that want the same file wait
   * for one copy.
   * @throws FileNotBorrowedError
   */
  fileOf(borrowed: BorrowedFile): Promise<string> {
    const { sha256 } = borrowed;
    const copying =
      this.#copying.get(sha256) ??
      this.#copyOf(borrowed).finally(() => this.#copying.delete(sha256));
    this.#copying.set(sha256, copying);
    return copying;
  }

  async #copyOf(borrowed: BorrowedFile): Promise<string> {
    const { sha256 } = borrowed;
    const file = path.join(this.options.folder, sha256);
    if (await this.#isThere(file, sha256)) return file;
    try {
      await this.#copy(borrowed, file);
    } catch (cause) {
      if (cause instanceof FileNotBorrowedError) throw cause;
      const message = `the file ${sha256} could not be copied`;
      throw new FileNotBorrowedError(message, { cause });
    }
    this.#checked.add(sha256);
    await this.#tidy();
    return file;
  }

  /** Marks it as used. */
  async #isThere(file: string, sha256: string): Promise<boolean> {
    const now = new Date();
    const isFile = await utimes(file, now, now).then(
      () => true,
      () => false,
    );
    if (!isFile) return false;
    if (!this.#checked.has(sha256) && (await sha256Of(file)) !== sha256) return false;
    this.#checked.add(sha256);
    return true;
  }

  async #copy(borrowed: BorrowedFile, file: string): Promise<void> {
    await createFolder(this.options.folder);
    const fresh = `${file}.${randomUUID()}`;
    try {
      const digest = await this.#write(borrowed, fresh);
      if (digest !== borrowed.sha256) {
        const message = `what ${borrowed.lender} sent is not the file ${borrowed.sha256}`;
        throw new FileNotBorrowedError(message);
      }
      await rename(fresh, file);
    } catch (error) {
      await rm(fresh, { force: true });
      throw error;
    }
  }

  /** @returns the SHA-256 of the received bytes */
  async #write(borrowed: BorrowedFile, fresh: string): Promise<string> {
    const hash = createHash('sha256');
    const file = await open(fresh, 'wx', 0o600);
    try {
      for (let offset = 0, total = Infinity; offset < total;) {
        const part = await this.#part(borrowed, offset);
        const content = Buffer.from(part.content, 'base64');
        const isWhole = content.length > 0 && offset + content.length <= part.total;
        if (!isWhole || (offset > 0 && part.total !== total)) {
          throw new FileNotBorrowedError(`the file ${borrowed.sha256} changed as it was copied`);
        }
        await file.write(content);
        hash.update(content);
        ({ total } = part);
        offset += content.length;
      }
    } finally {
      await file.close();
    }
    return hash.digest('hex');
  }

  async #part(borrowed: BorrowedFile, offset: number): Promise<NonNullable<FilePart>> {
    const { sha256, lender } = borrowed;
    for (let tries = 1; ; tries += 1) {
      try {
        const part = await this.#ask(borrowed, offset);
        if (part) return part;
      } catch (error) {
        if (error instanceof TimedOutError && tries < TRIES) continue;
        throw error;
      }
      throw new FileNotBorrowedError(`${lender} does not lend the file ${sha256}`);
    }
  }

  async #ask({ sha256, lender }: BorrowedFile, offset: number): Promise<FilePart> {
    const { bus, worker, seal, partMs = PART_MS } = this.options;
    await this.#parts.open();
    const request = randomUUID();
    const { promise, resolve } = Promise.withResolvers<FilePart>();
    this.#awaited.set(request, resolve);
    try {
      const asked: PartRequest = { sha256, offset, worker };
      const data = seal.seal(requestPlace(lender, request), JSON.stringify(asked));
      const message = { key: request, id: randomUUID(), headers: { request }, data };
      await bus.publish(fileRequestsTopicOf(lender), [message]);
      return await within(promise, partMs);
    } finally {
      this.#awaited.delete(request);
    }
  }

  /** A part that nothing waits for came too late, or twice. */
  #hear({ headers, data }: BusMessage): void {
    const { request } = PartHeaders.parse(headers);
    const awaited = this.#awaited.get(request);
    if (!awaited) return;
    const { worker, seal } = this.options;
    awaited(seal.open(partPlace(worker, request), data, FilePart));
  }

  /** A copy stays while a task waits for it. */
  #tidy(): Promise<void> {
    const { folder, bytesMax = BYTES_MAX } = this.options;
    return tidy(folder, bytesMax, new Set(this.#copying.keys()));
  }
}

const sha256Of = async (file: string): Promise<string> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
};
