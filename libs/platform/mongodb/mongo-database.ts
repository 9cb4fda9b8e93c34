import { type Db, MongoClient, type MongoClientOptions } from 'mongodb';
import { HeartbeatWatch } from './heartbeat-watch.js';
import { isDenied, isDuplicateKey, isUnavailable } from './mongo-failure.js';

const NAME_DEFAULT = 'quipu';
const LAYOUT_VERSION = 1;

/** Operations fail instead of waiting: subscriptions of the log retry by themselves. */
const PATIENCE = {
  serverSelectionTimeoutMS: 5_000,
  connectTimeoutMS: 5_000,
  socketTimeoutMS: 10_000,
  waitQueueTimeoutMS: 5_000,
  /** A server that hangs is noticed after this and `connectTimeoutMS`. */
  heartbeatFrequencyMS: 2_000,
} as const;

/** One heartbeat every 2 s, which fails after 5 s more. */
const HEARTBEAT = { silenceMs: 10_000, closingMs: 2_000 } as const;

/**
 * A write is acknowledged when no election can revert it, and a read returns only such data. Data
 * that must survive a power cut also needs `journal`.
 */
const CONSISTENCY = {
  readPreference: 'primary',
  readConcern: { level: 'majority' },
  writeConcern: { w: 'majority', wtimeoutMS: 10_000 },
} as const;

/**
 * For data that cannot be rebuilt from the log: acknowledged when it is in the journal on the disk.
 */
export const DURABLE = { writeConcern: { ...CONSISTENCY.writeConcern, journal: true } } as const;

export type MongoDatabaseErrorCode =
  /** Unreachable; a retry may help. */
  | 'unavailable'
  /** The credentials are wrong, or lack a right. */
  | 'denied'
  /** Laid out by a newer version of this program. */
  | 'unreadable'
  /** Not a connection string. */
  | 'invalid-url';

export class MongoDatabaseError extends Error {
  override readonly name = 'MongoDatabaseError';

  /** @param detail a sentence for the operator; never holds the URL, which may have a password */
  constructor(
    readonly code: MongoDatabaseErrorCode,
    detail: string,
    options?: ErrorOptions,
  ) {
    super(`${code}: ${detail}`, options);
  }
}

/**
 * One client with its connections; a process opens one, and all its adapters share it. The renewals
 * of a lease have another.
 */
export interface MongoDatabase {
  readonly db: Db;
  /** Later operations fail; closing twice is allowed. */
  close(): Promise<void>;
}

export interface MongoDatabaseOptions {
  /** `mongodb://` or `mongodb+srv://`; its path names the database, `quipu` where it has none. */
  readonly url: string;
  /** The most operations at once. Default: the driver's, 100. */
  readonly connectionsMax?: number;
}

/** @throws MongoDatabaseError */
export const openMongoDatabase = async ({
  url,
  connectionsMax,
}: MongoDatabaseOptions): Promise<MongoDatabase> => {
  const client = clientOf(url, connectionsMax === undefined ? {} : { maxPoolSize: connectionsMax });
  const db = client.db(databaseNameOf(url));
  const watch = new HeartbeatWatch(client, HEARTBEAT);
  const close = async (): Promise<void> => {
    await watch.end();
    await client.close();
  };
  try {
    await recognise(db);
  } catch (error) {
    await close();
    if (!isUnavailable(error)) throw error;
    const code = isDenied(error) ? 'denied' : 'unavailable';
    throw new MongoDatabaseError(code, error.message, { cause: error });
  }
  return { db, close };
};

/** Positions go to 2^63: the integers that MongoDB calls long are bigints here. */
const OPTIONS: MongoClientOptions = {
  appName: 'quipu',
  useBigInt64: true,
  ...PATIENCE,
  ...CONSISTENCY,
};

const clientOf = (url: string, own: MongoClientOptions): MongoClient => {
  try {
    return new MongoClient(url, { ...OPTIONS, ...own });
  } catch (error) {
    // Not set as a cause: the error of a parser may contain the whole URL.
    const detail = error instanceof Error ? error.message : String(error);
    throw new MongoDatabaseError('invalid-url', detail);
  }
};

/** For a URL without a name the driver would use `test`. */
const databaseNameOf = (url: string): string => {
  const [, name = ''] = /^[^:]+:\/\/[^/]*\/([^?]*)/.exec(url) ?? [];
  return name === '' ? NAME_DEFAULT : decodeURIComponent(name);
};

interface Layout {
  readonly _id: 'layout';
  readonly version: number;
}

/** Marks a new database, and rejects one of a newer version before anything is written to it. */
const recognise = async (db: Db): Promise<void> => {
  const installation = db.collection<Layout>('installation');
  const found = await installation.findOne({ _id: 'layout' });
  if (!found) {
    await insertIfAbsent(installation.insertOne({ _id: 'layout', version: LAYOUT_VERSION }));
    return;
  }
  if (found.version === LAYOUT_VERSION) return;
  throw new MongoDatabaseError(
    'unreadable',
    `the database ${db.databaseName} has version ${found.version}, ` +
      `this program reads ${LAYOUT_VERSION}`,
  );
};

/** Of several processes that insert one document, one succeeds. @returns whether this one did */
export const insertIfAbsent = async (insertion: Promise<unknown>): Promise<boolean> => {
  try {
    await insertion;
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
};
