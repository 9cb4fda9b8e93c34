import { type Logger } from 'pino';
import { openerFor, packageOf } from './client-packages.js';
import { Connection } from './connection.js';
import { EventStoreDbSubscriptions } from './eventstoredb-subscriptions.js';
import { EventStoreDbLogReader } from './eventstoredb-log-reader.js';
import { PrefixedClient } from './prefixed-client.js';
import { SettlingAppender } from './settling-appender.js';
import { type EventStoreDbTimeouts } from './timeouts.js';

/** Shared by all stores of this process with one address. */
export interface SharedNode {
  readonly connection: Connection;
  readonly reader: EventStoreDbLogReader;
  readonly appender: SettlingAppender;
  readonly subscriptions: EventStoreDbSubscriptions;
  /** The last release closes the connection. */
  readonly release: () => Promise<void>;
}

/** A server, and the prefix of the installation's streams there; empty for none. */
export interface LogAddress {
  readonly url: string;
  readonly prefix: string;
}

interface Held {
  readonly url: string;
  readonly node: Promise<Omit<SharedNode, 'release'>>;
  users: number;
}

const held = new Map<string, Held>();

/** The time-outs and the logger of the first store apply to all. */
export const acquireNode = async (
  { url, prefix }: LogAddress,
  timeouts: EventStoreDbTimeouts,
  logger: Logger | undefined,
): Promise<SharedNode> => {
  const key = JSON.stringify([url, prefix]);
  const entry = held.get(key) ?? hold(key, { url, prefix }, timeouts, logger);
  entry.users += 1;
  try {
    return { ...(await entry.node), release: () => leave(key, entry) };
  } catch (error) {
    if (held.get(key) === entry) held.delete(key);
    throw error;
  }
};

const hold = (
  key: string,
  address: LogAddress,
  timeouts: EventStoreDbTimeouts,
  logger: Logger | undefined,
): Held => {
  rejectSecondAddress(address.url);
  const entry = { url: address.url, node: openNode(address, timeouts, logger), users: 0 };
  held.set(key, entry);
  return entry;
};

/**
 * All clients of `@eventstore/db-client` in a process share the table of their open appends, and an
 * error of one rejects the appends of all.
 */
const rejectSecondAddress = (url: string): void => {
  const legacy = '@eventstore/db-client';
  if (packageOf(url) !== legacy) return;
  if ([...held.values()].some((other) => packageOf(other.url) === legacy)) {
    throw new Error(`${legacy} serves one address in a process, and another one is in use`);
  }
};

const openNode = async (
  { url, prefix }: LogAddress,
  { attemptMs, settleMs, pageMs, outageMs, silenceMs }: EventStoreDbTimeouts,
  logger: Logger | undefined,
): Promise<Omit<SharedNode, 'release'>> => {
  const open = await openerFor(url);
  const connect = () => (prefix === '' ? open() : new PrefixedClient(open(), prefix));
  const connection = new Connection({ connect, probeTimeoutMs: attemptMs, logger });
  const reader = new EventStoreDbLogReader(connection, { pageMs, outageMs });
  const appender = new SettlingAppender(connection, reader, { attemptMs, settleMs });
  const subscriptions = new EventStoreDbSubscriptions(reader, {
    connection,
    reader,
    silenceMs,
    logger,
  });
  return { connection, reader, appender, subscriptions };
};

const leave = async (key: string, entry: Held): Promise<void> => {
  entry.users -= 1;
  if (entry.users > 0) return;
  held.delete(key);
  const { connection } = await entry.node;
  await connection.close();
};
