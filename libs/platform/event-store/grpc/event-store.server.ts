import { isIP } from 'node:net';
import {
  Server,
  ServerCredentials,
  type ServerInterceptor,
  type ServerOptions,
} from '@grpc/grpc-js';
import { type EventStore } from '../event-store.port.js';
import { type Authenticate, Credentials } from './credentials.js';
import { credentialsInterceptor } from './credentials.interceptor.js';
import { earlyWrites } from './early-writes.interceptor.js';
import { ServedLog } from './served-log.js';
import { addServices, OPEN_PATHS } from './services.js';

export interface EventStoreServerOptions {
  /** Stays open when the server closes. */
  readonly eventStore: EventStore;
  readonly host: string;
  /** 0: the system chooses. */
  readonly port: number;
  readonly transport: ServerTransport;
  /** See each call before it is served, after its credentials were checked. */
  readonly interceptors?: readonly ServerInterceptor[];
  /** Logs failures whose details the caller does not get; default: none. */
  readonly onDefect?: (error: unknown) => void;
}

export type ServerTransport =
  /** Plain text without credentials, on the loopback address and nowhere else. */
  | { readonly kind: 'insecure' }
  | {
      readonly kind: 'tls';
      /** PEM, the chain included. */
      readonly certificate: Buffer;
      /** PEM. */
      readonly key: Buffer;
      /** Whether this is an Admin: the password is an API key. Takes as long for any answer. */
      readonly authenticate: Authenticate;
    };

export interface EventStoreServer {
  readonly port: number;
  /** Ends the subscriptions, lets the appends land that were begun, and closes connections. */
  close(): Promise<void>;
}

/** The limit of the official clients, and above the largest message that they send. */
export const MESSAGE_BYTES_MAX = 17 * 1_048_576;

/** Concurrent calls of one connection; clients queue the others. */
const CALLS_PER_CONNECTION_MAX = 1_024;

/** A peer that answers no ping for this time is disconnected, and its subscriptions end. */
const PING_EVERY_MS = 20_000;
const PING_TIMEOUT_MS = 10_000;

/** How long closing waits for peers to take their last answers. */
const CLOSING_GRACE_MS = 1_000;

/**
 * Serves a log by the protocol of EventStoreDB.
 * @throws RangeError for plain text on an address that others can reach; Error when the address
 *   cannot be taken or the certificate is none
 */
export const serveEventStore = async ({
  eventStore,
  host,
  port,
  transport,
  interceptors = [],
  onDefect = () => undefined,
}: EventStoreServerOptions): Promise<EventStoreServer> => {
  if (transport.kind === 'insecure' && !isLoopback(host)) {
    throw new RangeError(
      `${host} is no loopback address: an event store without TLS asks for no credentials, ` +
        'so it is served on 127.0.0.1, ::1 or localhost only',
    );
  }
  const log = new ServedLog(eventStore, onDefect);
  const server = new Server(optionsFor(transport, interceptors));
  addServices(server, log);
  const taken = await bind(server, host, port, credentialsFor(transport));
  let closing: Promise<void> | undefined;
  return { port: taken, close: () => (closing ??= close(server, log)) };
};

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

const optionsFor = (
  transport: ServerTransport,
  interceptors: readonly ServerInterceptor[],
): ServerOptions => ({
  'grpc.max_receive_message_length': MESSAGE_BYTES_MAX,
  'grpc.max_send_message_length': MESSAGE_BYTES_MAX,
  'grpc.max_concurrent_streams': CALLS_PER_CONNECTION_MAX,
  'grpc.keepalive_time_ms': PING_EVERY_MS,
  'grpc.keepalive_timeout_ms': PING_TIMEOUT_MS,
  interceptors: [earlyWrites, ...guardsOf(transport), ...interceptors],
});

const guardsOf = (transport: ServerTransport): readonly ServerInterceptor[] =>
  transport.kind === 'insecure'
    ? []
    : [credentialsInterceptor(new Credentials(transport.authenticate), OPEN_PATHS)];

const credentialsFor = (transport: ServerTransport): ServerCredentials =>
  transport.kind === 'insecure'
    ? ServerCredentials.createInsecure()
    : ServerCredentials.createSsl(null, [
        { private_key: transport.key, cert_chain: transport.certificate },
      ]);

const bind = (
  server: Server,
  host: string,
  port: number,
  credentials: ServerCredentials,
): Promise<number> =>
  new Promise((resolve, reject) => {
    const address = isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
    server.bindAsync(address, credentials, (error, taken) => {
      if (error === null) resolve(taken);
      else reject(error);
    });
  });

const close = async (server: Server, log: ServedLog): Promise<void> => {
  await log.drain();
  await new Promise<void>((resolve) => {
    const force = setTimeout(() => server.forceShutdown(), CLOSING_GRACE_MS);
    server.tryShutdown(() => {
      clearTimeout(force);
      resolve();
    });
  });
};
