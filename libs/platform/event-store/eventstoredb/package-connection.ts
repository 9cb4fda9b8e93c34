import { type CallOptions, type Channel, Client, type Metadata } from '@grpc/grpc-js';
import { AppendCalls } from './append-calls.js';
import { type BatchCall } from './batch-appends.js';

/**
 * The internal connection of both packages, which they do not export. It finds the leader, keeps
 * the channel, and replaces it when a call names another leader or is not answered. The versions
 * are pinned, and specs check this.
 */
export interface PackageConnection {
  readonly GRPCStreamCreator: <Call>(
    service: typeof Client,
    name: string,
    begin: (client: Client) => Call,
  ) => () => Promise<Call>;
  readonly execute: <Answer>(
    service: typeof Client,
    name: string,
    act: (client: Client) => Promise<Answer>,
  ) => Promise<Answer>;
  readonly callArguments: (
    options: { readonly requiresLeader: boolean },
    call: CallOptions,
  ) => [Metadata, CallOptions];
  readonly getChannel: () => Promise<Channel>;
  readonly dispose: () => Promise<void>;
}

const BATCH_APPEND = '/event_store.client.streams.Streams/BatchAppend';

/** Messages are encoded and decoded here, not by the package. */
export const asTheyAre = (bytes: Buffer): Buffer => bytes;

/**
 * Appends over the package's connection, but not through its own `appendToStream`.
 * `@eventstore/db-client` keeps open appends in one table for the whole process: an error of any
 * stream rejects all of them, and later replies throw inside an event handler. Both packages
 * reorder concurrent appends that are made before the connection is open.
 */
export const appendCallsOver = (connection: PackageConnection): AppendCalls =>
  new AppendCalls(
    connection.GRPCStreamCreator(Client, 'batchAppend', (client): BatchCall => {
      const [metadata, options] = callArguments(connection);
      return client.makeBidiStreamRequest(BATCH_APPEND, asTheyAre, asTheyAre, metadata, options);
    }),
  );

/** One request and one answer, as encoded messages; for calls that the packages do not know. */
export const callOnce = (
  connection: PackageConnection,
  path: string,
  request: Buffer,
): Promise<Buffer> =>
  connection.execute(
    Client,
    path,
    (client) =>
      new Promise((resolve, reject) => {
        const [metadata, options] = callArguments(connection, Date.now() + CALL_MS_MAX);
        client.makeUnaryRequest<Buffer, Buffer>(
          path,
          asTheyAre,
          asTheyAre,
          request,
          metadata,
          options,
          (error, answer) => {
            if (error === null) resolve(answer ?? Buffer.alloc(0));
            else reject(error);
          },
        );
      }),
  );

const CALL_MS_MAX = 10_000;

/** By default a call has no deadline: it lasts as long as the connection. */
export const callArguments = (
  connection: PackageConnection,
  deadline = Infinity,
): [Metadata, CallOptions] => connection.callArguments({ requiresLeader: true }, { deadline });

/** The packages end their calls and leave the channel open. */
export const disposeOf = async (connection: PackageConnection): Promise<void> => {
  await connection.dispose();
  connection.getChannel().then(
    (channel) => channel.close(),
    () => undefined,
  );
};
