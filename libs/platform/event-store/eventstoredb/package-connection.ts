import { type CallOptions, type Channel, Client, type Metadata } from '@grpc/grpc-js';
import { AppendCalls } from './append-calls.js';
import { type BatchCall } from './batch-appends.js';

/**
 * What both packages have inside and do not publish, alike in either: it finds the leader, keeps
 * the channel, and replaces it when a call was answered with another leader or not at all. Their
 * versions are pinned, and the specs hold on to this.
 */
export interface PackageConnection {
  readonly GRPCStreamCreator: <Call>(
    service: typeof Client,
    name: string,
    begin: (client: Client) => Call,
  ) => () => Promise<Call>;
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
 * Appends over the package's connection, but not through its own `appendToStream`. That of
 * `@eventstore/db-client` keeps what is under way in one table for the whole process, where an
 * error of any stream rejects the appends of all, and the replies that come later throw inside an
 * event handler; and both packages send appends that arrive together before a connection stands out
 * of order.
 */
export const appendCallsOver = (connection: PackageConnection): AppendCalls =>
  new AppendCalls(
    connection.GRPCStreamCreator(Client, 'batchAppend', (client): BatchCall => {
      const [metadata, options] = callArguments(connection);
      return client.makeBidiStreamRequest(BATCH_APPEND, asTheyAre, asTheyAre, metadata, options);
    }),
  );

/** Without a deadline of the call: it lasts as long as the connection. */
export const callArguments = (connection: PackageConnection): [Metadata, CallOptions] =>
  connection.callArguments({ requiresLeader: true }, { deadline: Infinity });

/** The packages end their calls and leave the channel open. */
export const disposeOf = async (connection: PackageConnection): Promise<void> => {
  await connection.dispose();
  connection.getChannel().then(
    (channel) => channel.close(),
    () => undefined,
  );
};
