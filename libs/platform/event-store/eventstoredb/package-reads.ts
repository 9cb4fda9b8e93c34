import { type ClientReadableStream, Client } from '@grpc/grpc-js';
import type readStreams from '@eventstore/db-client/dist/streams/utils/ReadStream.js';
import type converting from '@eventstore/db-client/dist/utils/convertGrpcEvent.js';
import type shared from '@eventstore/db-client/generated/shared_pb.js';
import type streams from '@eventstore/db-client/generated/streams_pb.js';
import { type EventFilter } from '../event-store.port.js';
import { type ClientPage, type PageToRead } from './log-client.js';
import { callArguments, type PackageConnection } from './package-connection.js';
import { collect } from './readable.js';

/** What either package reads with; only the names of its files differ. */
export interface ReadingParts {
  readonly shared: typeof shared;
  readonly streams: typeof streams;
  readonly ReadStream: typeof readStreams.ReadStream;
  readonly convertGrpcEvent: typeof converting.convertGrpcEvent;
}

type Request = InstanceType<typeof streams.ReadReq>;
type Response = InstanceType<typeof streams.ReadResp>;
type Options = InstanceType<typeof streams.ReadReq.Options>;
type FilterOptions = InstanceType<typeof streams.ReadReq.Options.FilterOptions>;

const READ = '/event_store.client.streams.Streams/Read';

/**
 * Readings with the messages of the package over its connection, but not through its own functions:
 * `readAll` of `@eventstore/db-client` cannot filter, and those of `@kurrent/kurrentdb-client` go
 * through native code on a second connection, which tells when an event was recorded in whole seconds.
 */
export class PackageReads {
  readonly #connection: PackageConnection;
  readonly #parts: ReadingParts;

  constructor(connection: PackageConnection, parts: ReadingParts) {
    this.#connection = connection;
    this.#parts = parts;
  }

  stream(stream: string, page: PageToRead, signal: AbortSignal): Promise<ClientPage> {
    const { Empty, StreamIdentifier } = this.#parts.shared;
    const { Options } = this.#parts.streams.ReadReq;
    const target = new Options.StreamOptions();
    target.setStreamIdentifier(new StreamIdentifier().setStreamName(Buffer.from(stream)));
    if (page.from !== null) target.setRevision(String(page.from));
    else if (page.direction === 'forwards') target.setStart(new Empty());
    else target.setEnd(new Empty());
    return this.#read(new Options().setStream(target).setNoFilter(new Empty()), page, signal);
  }

  all(page: PageToRead, filter: EventFilter | undefined, signal: AbortSignal): Promise<ClientPage> {
    const { Empty } = this.#parts.shared;
    const { Options } = this.#parts.streams.ReadReq;
    const target = new Options.AllOptions();
    const place = String(page.from ?? 0n);
    const position = new Options.Position().setCommitPosition(place).setPreparePosition(place);
    if (page.from !== null) target.setPosition(position);
    else if (page.direction === 'forwards') target.setStart(new Empty());
    else target.setEnd(new Empty());
    const options = new Options().setAll(target);
    if (filter === undefined) options.setNoFilter(new Empty());
    else options.setFilter(this.#filter(filter));
    return this.#read(options, page, signal);
  }

  #filter({ by, prefixes }: EventFilter): FilterOptions {
    const { Empty } = this.#parts.shared;
    const { FilterOptions } = this.#parts.streams.ReadReq.Options;
    const expression = new FilterOptions.Expression().setPrefixList([...prefixes]);
    const options = new FilterOptions().setCount(new Empty()).setCheckpointintervalmultiplier(1);
    return by === 'stream'
      ? options.setStreamIdentifier(expression)
      : options.setEventType(expression);
  }

  #read(
    options: Options,
    { direction, maxCount }: PageToRead,
    signal: AbortSignal,
  ): Promise<ClientPage> {
    const { shared, streams, ReadStream, convertGrpcEvent } = this.#parts;
    const { Options } = streams.ReadReq;
    const { FORWARDS, BACKWARDS } = Options.ReadDirection;
    options.setReadDirection(direction === 'forwards' ? FORWARDS : BACKWARDS);
    options.setResolveLinks(false);
    options.setCount(String(maxCount));
    options.setUuidOption(new Options.UUIDOption().setString(new shared.Empty()));
    const request = new streams.ReadReq().setOptions(options);
    const begin = this.#connection.GRPCStreamCreator(
      Client,
      'read',
      (client): ClientReadableStream<Response> =>
        client.makeServerStreamRequest(
          READ,
          (asked: Request) => Buffer.from(asked.serializeBinary()),
          (bytes) => streams.ReadResp.deserializeBinary(bytes),
          request,
          ...callArguments(this.#connection),
        ),
    );
    const readable = new ReadStream(begin, convertGrpcEvent, {});
    return collect(readable, () => readable.cancel(), signal);
  }
}
