import { Client, type ClientReadableStream } from '@grpc/grpc-js';
import { CutStreamError } from '../event-store.errors.js';
import { type EventFilter } from '../event-store.port.js';
import { isStreamDeleted, isStreamMissing } from './client-errors.js';
import { type ClientListener, type ClientPage, type PageToRead } from './log-client.js';
import { asTheyAre, callArguments, type PackageConnection } from './package-connection.js';
import { collect, follow, type ReadCall } from './read-calls.js';
import { encodeLogPage, encodeStreamPage, encodeSubscription } from './read.messages.js';

const READ = '/event_store.client.streams.Streams/Read';

/**
 * Reads over the connection of the package, but not through its own functions: `readAll` of
 * `@eventstore/db-client` cannot filter, and the reads of `@kurrent/kurrentdb-client` use native
 * code on a second connection, which reports the time of an event in whole seconds.
 */
export class PackageReads {
  readonly #connection: PackageConnection;

  constructor(connection: PackageConnection) {
    this.#connection = connection;
  }

  async stream(stream: string, page: PageToRead, signal: AbortSignal): Promise<ClientPage> {
    try {
      return await collect(this.#begin(encodeStreamPage(stream, page)), signal);
    } catch (error) {
      if (isStreamMissing(error)) return { records: [], cut: false };
      if (isStreamDeleted(error)) throw new CutStreamError(stream, 0n, null, { cause: error });
      throw error;
    }
  }

  all(page: PageToRead, filter: EventFilter | undefined, signal: AbortSignal): Promise<ClientPage> {
    return collect(this.#begin(encodeLogPage(page, filter)), signal);
  }

  follow(after: bigint, listener: ClientListener): () => void {
    return follow(this.#begin(encodeSubscription(after)), listener);
  }

  #begin(request: Buffer): () => Promise<ReadCall> {
    return this.#connection.GRPCStreamCreator(
      Client,
      'read',
      (client): ClientReadableStream<Buffer> =>
        client.makeServerStreamRequest(
          READ,
          asTheyAre,
          asTheyAre,
          request,
          ...callArguments(this.#connection),
        ),
    );
  }
}
