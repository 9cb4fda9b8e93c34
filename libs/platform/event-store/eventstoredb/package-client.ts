import { type EventFilter } from '../event-store.port.js';
import { type AppendCalls } from './append-calls.js';
import {
  type AppendRequest,
  type ClientAppendResult,
  type ClientListener,
  type ClientPage,
  type LogClient,
  type PageToRead,
} from './log-client.js';
import {
  appendCallsOver,
  callOnce,
  disposeOf,
  type PackageConnection,
} from './package-connection.js';
import { PackageReads } from './package-reads.js';

/** A client of either package: their internals are the same. */
export class PackageClient implements LogClient {
  readonly #connection: PackageConnection;
  readonly #appends: AppendCalls;
  readonly #reads: PackageReads;

  constructor(client: object) {
    this.#connection = client as PackageConnection;
    this.#appends = appendCallsOver(this.#connection);
    this.#reads = new PackageReads(this.#connection);
  }

  append(request: AppendRequest): Promise<ClientAppendResult> {
    return this.#appends.append(request);
  }

  appendInOrder(requests: readonly AppendRequest[]): Promise<void> {
    return this.#appends.appendInOrder(requests);
  }

  readStream(stream: string, page: PageToRead, signal: AbortSignal): Promise<ClientPage> {
    return this.#reads.stream(stream, page, signal);
  }

  readAll(
    page: PageToRead,
    filter: EventFilter | undefined,
    signal: AbortSignal,
  ): Promise<ClientPage> {
    return this.#reads.all(page, filter, signal);
  }

  subscribe(after: bigint, listener: ClientListener): () => void {
    return this.#reads.follow(after, listener);
  }

  /** @param path of a method that the packages do not know */
  call(path: string, request: Buffer): Promise<Buffer> {
    return callOnce(this.#connection, path, request);
  }

  dispose(): Promise<void> {
    return disposeOf(this.#connection);
  }
}
