import { CutStreamError, StaleRevisionError } from '../event-store.errors.js';
import { type EventFilter, type StreamName } from '../event-store.port.js';
import {
  type AppendRequest,
  type ClientAppendResult,
  type ClientListener,
  type ClientPage,
  type ClientRecord,
  type LogClient,
  type PageToRead,
} from './log-client.js';

/** Between the prefix of an installation and its names; in no category of Quipu's own. */
export const PREFIX_END = ':';

/** A name that no event of Quipu has, so that its reader takes it for another program's. */
const FOREIGN_STREAM = '$foreign';
const METADATA_OF = '$$';

/**
 * The part of a log that belongs to one of several installations on a server: each stream has the
 * prefix there, and the installation sees its own streams without it.
 */
export class PrefixedClient implements LogClient {
  readonly #start: string;

  constructor(
    private readonly client: LogClient,
    prefix: string,
  ) {
    this.#start = `${prefix}${PREFIX_END}`;
  }

  async append(request: AppendRequest): Promise<ClientAppendResult> {
    const { stream } = request;
    try {
      return await this.client.append({ ...request, stream: this.#outer(stream) });
    } catch (error) {
      throw named(stream, error);
    }
  }

  appendInOrder(requests: readonly AppendRequest[]): Promise<void> {
    return this.client.appendInOrder(
      requests.map((request) => ({ ...request, stream: this.#outer(request.stream) })),
    );
  }

  async readStream(stream: StreamName, page: PageToRead, signal: AbortSignal): Promise<ClientPage> {
    try {
      return this.#inner(await this.client.readStream(this.#outer(stream), page, signal));
    } catch (error) {
      throw named(stream, error);
    }
  }

  async readAll(
    page: PageToRead,
    filter: EventFilter | undefined,
    signal: AbortSignal,
  ): Promise<ClientPage> {
    return this.#inner(await this.client.readAll(page, this.#outerFilter(filter), signal));
  }

  subscribe(after: bigint, { onEvent, onEnd }: ClientListener): () => void {
    return this.client.subscribe(after, {
      onEvent: (record) => onEvent(this.#innerRecord(record)),
      onEnd,
    });
  }

  dispose(): Promise<void> {
    return this.client.dispose();
  }

  #outer(stream: StreamName): StreamName {
    return stream.startsWith(METADATA_OF)
      ? `${METADATA_OF}${this.#start}${stream.slice(METADATA_OF.length)}`
      : `${this.#start}${stream}`;
  }

  #outerFilter(filter: EventFilter | undefined): EventFilter | undefined {
    if (filter?.by !== 'stream') return filter;
    return { by: 'stream', prefixes: filter.prefixes.map((prefix) => `${this.#start}${prefix}`) };
  }

  #inner({ records, cut }: ClientPage): ClientPage {
    return { records: records.map((record) => this.#innerRecord(record)), cut };
  }

  #innerRecord(record: ClientRecord): ClientRecord {
    const { streamId } = record;
    if (streamId.startsWith('$')) return record;
    const isOurs = streamId.startsWith(this.#start);
    return { ...record, streamId: isOurs ? streamId.slice(this.#start.length) : FOREIGN_STREAM };
  }
}

/** An error of a stream by the name that the installation knows. */
const named = (stream: StreamName, error: unknown): unknown => {
  if (error instanceof StaleRevisionError) {
    return new StaleRevisionError(stream, error.expected, error.actual);
  }
  if (error instanceof CutStreamError) {
    return new CutStreamError(stream, error.missing, error.found);
  }
  return error;
};
