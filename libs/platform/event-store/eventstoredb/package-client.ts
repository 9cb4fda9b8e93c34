import { type EventEmitter } from 'node:events';
import { type EventFilter } from '../event-store.port.js';
import { type BatchAppends } from './batch-appends.js';
import { isStreamMissing } from './client-errors.js';
import {
  type AppendRequest,
  type ClientAppendResult,
  type ClientListener,
  type ClientPage,
  type LogClient,
  type PageToRead,
} from './log-client.js';
import { batchAppendsOver, disposeOf, type PackageConnection } from './package-connection.js';
import { PackageReads, type ReadingParts } from './package-reads.js';
import { follow } from './readable.js';

/** What both packages subscribe with. */
export interface Subscribing {
  subscribeToAll(options: {
    readonly fromPosition: 'start' | { readonly commit: bigint; readonly prepare: bigint };
    readonly requiresLeader: true;
  }): Pick<EventEmitter, 'on' | 'off'> & { unsubscribe(): Promise<void> };
}

/** Either package: they are one in what they have inside. */
export class PackageClient implements LogClient {
  readonly #client: Subscribing;
  readonly #connection: PackageConnection;
  readonly #appends: BatchAppends;
  readonly #reads: PackageReads;

  constructor(client: Subscribing, parts: ReadingParts) {
    this.#client = client;
    this.#connection = client as unknown as PackageConnection;
    this.#appends = batchAppendsOver(this.#connection);
    this.#reads = new PackageReads(this.#connection, parts);
  }

  append(request: AppendRequest): Promise<ClientAppendResult> {
    return this.#appends.append(request);
  }

  async readStream(stream: string, page: PageToRead, signal: AbortSignal): Promise<ClientPage> {
    try {
      return await this.#reads.stream(stream, page, signal);
    } catch (error) {
      if (isStreamMissing(error)) return { records: [], cut: false };
      throw error;
    }
  }

  readAll(
    page: PageToRead,
    filter: EventFilter | undefined,
    signal: AbortSignal,
  ): Promise<ClientPage> {
    return this.#reads.all(page, filter, signal);
  }

  subscribe(after: bigint, listener: ClientListener): () => void {
    const subscription = this.#client.subscribeToAll({
      fromPosition: after === 0n ? 'start' : { commit: after, prepare: after },
      requiresLeader: true,
    });
    return follow(subscription, () => subscription.unsubscribe(), listener);
  }

  dispose(): Promise<void> {
    return disposeOf(this.#connection);
  }
}
