import { randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import { type Logger } from 'pino';
import { type Bus, type BusMessage } from '#platform/bus/bus.port.js';
import {
  FILE_BYTES_MAX,
  type FilePart,
  filePartsTopicOf,
  fileRequestsTopicOf,
  type LentFile,
  PART_BYTES,
  PartHeaders,
  partPlace,
  PartRequest,
  requestPlace,
} from './file.protocol.js';
import { LazyListener } from './lazy-listener.js';
import { type TaskSeal } from './task.seal.js';

export interface LentFilesOptions {
  readonly bus: Pick<Bus, 'publish' | 'listen'>;
  /** The name of this process. */
  readonly instance: string;
  readonly seal: TaskSeal;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Files that workers may copy: the ones that were lent longest ago are forgotten. */
const LENT_MAX = 1_000;

/** The side of the process that asks for tasks: it sends the files that its tasks name alone. */
export class LentFiles {
  readonly #lent = new LRUCache<string, string>({ max: LENT_MAX });
  readonly #requests: LazyListener;

  constructor(private readonly options: LentFilesOptions) {
    const { bus, instance, logger } = options;
    const handle = (message: BusMessage): void => this.#hear(message);
    this.#requests = new LazyListener({
      bus,
      topic: fileRequestsTopicOf(instance),
      logger,
      handle,
    });
  }

  /**
   * Lets workers copy the file from now on; the first call waits for the topic of requests.
   * @returns the lender to name in a task
   * @throws BusError
   */
  async lend({ sha256, file }: LentFile): Promise<string> {
    this.#lent.set(sha256, file);
    await this.#requests.open();
    return this.options.instance;
  }

  close(): Promise<void> {
    return this.#requests.close();
  }

  #hear({ headers, data }: BusMessage): void {
    const { instance, seal, logger } = this.options;
    const { request } = PartHeaders.parse(headers);
    const asked = seal.open(requestPlace(instance, request), data, PartRequest);
    this.#send(request, asked).catch((error: unknown) => {
      logger.warn({ err: error }, 'a part of a file could not be sent to a worker');
    });
  }

  async #send(request: string, { sha256, offset, worker }: PartRequest): Promise<void> {
    const file = this.#lent.get(sha256);
    // A file that is gone, or is no longer what was lent, is found by the digest at the latest.
    const part = file === undefined ? null : await partOf(file, offset).catch(() => null);
    const { bus, seal } = this.options;
    const data = seal.seal(partPlace(worker, request), JSON.stringify(part));
    const message = { key: request, id: randomUUID(), headers: { request }, data };
    await bus.publish(filePartsTopicOf(worker), [message]);
  }
}

const partOf = async (path: string, offset: number): Promise<FilePart> => {
  const file = await open(path);
  try {
    const { size: total } = await file.stat();
    if (total > FILE_BYTES_MAX) return null;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(PART_BYTES), 0, PART_BYTES, offset);
    return { total, content: buffer.toString('base64', 0, bytesRead) };
  } finally {
    await file.close();
  }
};
