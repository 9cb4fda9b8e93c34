import path from 'node:path';
import { type Logger } from 'pino';
import { type CheckpointStore } from '#platform/audit/checkpoint-store.port.js';
import { SqliteCheckpointStore } from '#platform/audit/sqlite/sqlite-checkpoint-store.js';
import { type AnswerStore } from '#platform/idempotency/answer-store.port.js';
import { LazyAnswerStore } from '#platform/idempotency/sqlite/lazy-answer-store.js';
import { openSqliteAnswerStore } from '#platform/idempotency/sqlite/sqlite-answer-store.js';
import { type Blobs } from '#platform/blobs/blobs.port.js';
import { FileObjectStore } from '#platform/blobs/file/file-object-store.js';
import { type ObjectStore } from '#platform/blobs/object-store.port.js';
import { StoredBlobs } from '#platform/blobs/stored-blobs.js';
import { type Bus } from '#platform/bus/bus.port.js';
import { createInProcessBus } from '#platform/bus/in-process/in-process-bus.js';
import { AppendWitness } from '#platform/event-store/append-witness.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { openSqliteEventStore } from '#platform/event-store/sqlite/sqlite-event-store.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type MongoDatabase } from '#platform/mongodb/mongo-database.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import {
  type EmbeddedReadStore,
  openSqliteReadStore,
} from '#platform/read-store/sqlite/sqlite-read-store.js';
import { type Area } from '#platform/runtime/areas/area.js';
import { LoggedInstallationKey } from '#platform/runtime/master-key/logged-installation-key.js';
import { type Engines } from '#platform/runtime/runtime.js';
import { openSecrets, type Secrets, SUBJECT_KEYS_FILE } from '#platform/secrets/secrets.js';
import { SecretsError } from '#platform/secrets/secrets.error.js';
import { sqliteKeySet } from '#platform/secrets/sqlite/sqlite-subject-keys.js';
import { areas as shippedAreas } from './areas.js';
import { SettingsError } from '#platform/runtime/areas/settings.js';
import { type FirstAnswer, onceOnly, openedLog, ServerAwayError } from './first-answer.js';
import { prepareHome } from './home.js';
import { type EventStoreTarget, type Settings, withoutSecrets } from './settings.js';
import { topicSettingsOf } from './topic-settings.js';

/** The stores, bus and secrets of a process, opened at its start and closed at its end. */
export interface OpenEngines extends Engines {
  readonly secrets: Secrets;
  readonly answers: AnswerStore;
  readonly checkpoints: CheckpointStore;
  /** Empties read models in a file beside the log; null where other machines may use either. */
  readonly clearReadModels: EmbeddedReadStore['clear'] | null;
  readonly blobs: Blobs;
  close(): Promise<void>;
}

/** The stores of shared data that are not events: read models, answers, keys and checkpoints. */
interface SharedStores {
  readonly readStore: ReadStore;
  readonly secrets: Secrets;
  readonly answers: AnswerStore;
  readonly checkpoints: CheckpointStore;
  readonly clearReadModels: EmbeddedReadStore['clear'] | null;
  /** Closes in the reverse order of opening. */
  close(): Promise<void>;
}

export interface EngineOptions {
  /** Called after each append of this process. */
  readonly onAppended?: () => void;
  /** Instead of the bus that the settings name. */
  readonly bus?: Bus;
  /** The process requests a lease: its renewals get a connection of their own. */
  readonly requestsLease?: boolean;
  /** Waits for the servers of the log and the read models. Default: they must answer at once. */
  readonly untilAnswered?: FirstAnswer;
}

/** Opens the adapter that each setting names. No other file chooses adapters. */
export const openEngines = async (
  settings: Settings,
  clock: Clock,
  logger: Logger,
  areas: readonly Area[] = shippedAreas,
  { onAppended, bus: given, requestsLease = false, untilAnswered }: EngineOptions = {},
): Promise<OpenEngines> => {
  await openHome(settings);
  const openingLog = openEventStore(settings, clock, logger, untilAnswered).then(
    (log) => new AppendWitness(log, onAppended),
  );
  const objects = await openObjects(settings);
  const opened = await allOrNone(
    openingLog,
    openSharedStores(settings, clock, openingLog, untilAnswered),
    given ? Promise.resolve(given) : openBus(settings, logger, areas),
    requestsLease ? openLeases(settings, clock, untilAnswered) : Promise.resolve(NO_LEASES),
  );
  const [eventStore, shared, bus, leases] = opened;
  const { readStore, secrets, answers, checkpoints } = shared;
  const isEmbedded = settings.eventStore.kind === 'sqlite';
  const blobs = new StoredBlobs({ objects, secrets, clock, logger });
  return {
    eventStore,
    readStore,
    bus,
    ...(leases.readStore && { leases: leases.readStore }),
    clock,
    logger,
    keepsTree: true,
    secrets,
    answers,
    checkpoints,
    clearReadModels: isEmbedded ? shared.clearReadModels : null,
    blobs,
    close: async () => {
      await leases.close();
      await bus.close();
      await blobs.close();
      await shared.close();
      await eventStore.close();
    },
  };
};

/** The folder of a store in files. */
export const openHome = (settings: Settings): Promise<void> =>
  located('QUIPU_HOME', settings.home, prepareHome(settings));

export const openEventStore = (
  { eventStore: target }: Settings,
  clock: Clock,
  logger: Logger,
  untilAnswered?: FirstAnswer,
): Promise<EventStore> => {
  switch (target.kind) {
    case 'sqlite': {
      const { file } = target;
      return located('QUIPU_EVENT_STORE', file, openSqliteEventStore({ file, clock }));
    }
    case 'eventstoredb': {
      const opened = openEventStoreDb(target, logger, untilAnswered);
      return located('QUIPU_EVENT_STORE', target.url, opened);
    }
  }
};

const openEventStoreDb = async (
  { url, prefix }: Extract<EventStoreTarget, { kind: 'eventstoredb' }>,
  logger: Logger,
  untilAnswered?: FirstAnswer,
): Promise<EventStore> => {
  const adapter = await import('#platform/event-store/eventstoredb/eventstoredb-event-store.js');
  const log = await adapter.openEventStoreDb({ url, prefix, logger });
  try {
    return (await untilAnswered?.(() => openedLog(log))) ?? log;
  } catch (error) {
    await log.close();
    throw error;
  }
};

/** @param areas declare the broker settings of their topics */
export const openBus = async (
  { bus, instance }: Settings,
  logger: Logger,
  areas: readonly Area[] = shippedAreas,
): Promise<Bus> => {
  if (bus.kind === 'memory') return createInProcessBus();
  const { openKafkaBus } = await import('#platform/bus/kafka/kafka-bus.js');
  const brokers = bus.brokers.join(',');
  const topicSettings = topicSettingsOf(areas);
  const options = { ...bus, clientId: instance, topicSettings, logger };
  return located('QUIPU_BUS', brokers, openKafkaBus(options));
};

/** Asks nothing of a server: a process starts, and serves what needs no blobs, without it. */
export const openObjects = async ({ blobs: target }: Settings): Promise<ObjectStore> => {
  switch (target.kind) {
    case 'file':
      return new FileObjectStore(target.folder);
    case 's3': {
      const { S3ObjectStore } = await import('#platform/blobs/s3/s3-object-store.js');
      return new S3ObjectStore(target);
    }
  }
};

const openSharedStores = (
  settings: Settings,
  clock: Clock,
  openingLog: Promise<AppendWitness>,
  untilAnswered?: FirstAnswer,
): Promise<SharedStores> => {
  const { readStore: target } = settings;
  switch (target.kind) {
    case 'sqlite':
      return openFiles(target.file, settings, clock, openingLog);
    case 'mongodb':
      return located(
        'QUIPU_READ_STORE',
        target.url,
        openDatabase(settings, clock, openingLog, reached(target.url, untilAnswered)),
      );
  }
};

const openFiles = async (
  file: string,
  settings: Settings,
  clock: Clock,
  openingLog: Promise<AppendWitness>,
): Promise<SharedStores> => {
  const { home: directory, masterKeyFile } = settings;
  const log = await openingLog;
  const record = new LoggedInstallationKey(log, clock);
  const secrets = await openSecrets({ directory, masterKeyFile, record });
  const readStore = await located('QUIPU_READ_STORE', file, openSqliteReadStore({ file }));
  const answersFile = path.join(directory, 'answers.db');
  const encryptionKey = secrets.key('idempotency');
  const answers = new LazyAnswerStore(answersFile, () =>
    openSqliteAnswerStore({ file: answersFile, encryptionKey, clock, log }),
  );
  const checkpoints = new SqliteCheckpointStore(path.join(directory, 'audit.db'));
  const close = async (): Promise<void> => {
    await answers.close();
    await checkpoints.close();
    await readStore.close();
    secrets.close();
  };
  const clearReadModels: EmbeddedReadStore['clear'] = (seen) => readStore.clear(seen);
  return { readStore, secrets, answers, checkpoints, clearReadModels, close };
};

/** Loads the client, some 20 MB of code, only for an installation that uses it. */
const openDatabase = async (
  settings: Settings,
  clock: Clock,
  openingLog: Promise<AppendWitness>,
  opening: Promise<MongoDatabase>,
): Promise<SharedStores> => {
  const [{ openMongoReadStore }, { openMongoAnswerStore }, subjects, audit, database] =
    await Promise.all([
      import('#platform/read-store/mongodb/mongodb-read-store.js'),
      import('#platform/idempotency/mongodb/mongodb-answer-store.js'),
      import('#platform/secrets/mongodb/mongodb-subject-keys.js'),
      import('#platform/audit/mongodb/mongodb-checkpoint-store.js'),
      opening,
    ]);
  try {
    const { home: directory, masterKeyFile } = settings;
    const log = await openingLog;
    const record = new LoggedInstallationKey(log, clock);
    const keySet = subjects.mongoKeySet(database);
    const secrets = await openSecrets({ directory, masterKeyFile, keySet, record });
    const readStore = await openMongoReadStore({ database, clock });
    const encryptionKey = secrets.key('idempotency');
    const answers = await openMongoAnswerStore({ database, encryptionKey, clock, log });
    const close = async (): Promise<void> => {
      await answers.close();
      await readStore.close();
      secrets.close();
      await database.close();
    };
    const checkpoints = new audit.MongoCheckpointStore(database);
    return { readStore, secrets, answers, checkpoints, clearReadModels: null, close };
  } catch (error) {
    await database.close();
    throw error;
  }
};

/** The id of the subject keys that the settings name. */
export const keySetIdOf = async ({ home, readStore }: Settings): Promise<string> => {
  if (readStore.kind === 'sqlite') return sqliteKeySet(path.join(home, SUBJECT_KEYS_FILE)).id();
  const { mongoKeySet } = await import('#platform/secrets/mongodb/mongodb-subject-keys.js');
  const database = await located('QUIPU_READ_STORE', readStore.url, reached(readStore.url));
  return mongoKeySet(database)
    .id()
    .finally(() => database.close());
};

/** @throws ServerAwayError unless the attempts are repeated */
const reached = async (
  url: string,
  untilAnswered = onceOnly,
  connectionsMax?: number,
): Promise<MongoDatabase> => {
  const { MongoDatabaseError, openMongoDatabase } =
    await import('#platform/mongodb/mongo-database.js');
  const options = { url, ...(connectionsMax !== undefined && { connectionsMax }) };
  return untilAnswered(() =>
    openMongoDatabase(options).catch((cause: unknown) => {
      if (!(cause instanceof MongoDatabaseError) || cause.code !== 'unavailable') throw cause;
      throw new ServerAwayError('read_store_unavailable', cause.message, { cause });
    }),
  );
};

/** The renewals of leases, where they have a connection of their own. */
interface Leases extends Closable {
  readonly readStore?: ReadStore;
}

const NO_LEASES: Leases = { close: () => Promise.resolve() };

/** A renewal needs one, and a look at the renewals of others. */
const LEASE_CONNECTIONS = 2;

/** A file has no connections: a commit waits for the one that is under way. */
const openLeases = async (
  { readStore: target }: Settings,
  clock: Clock,
  untilAnswered?: FirstAnswer,
): Promise<Leases> => {
  if (target.kind === 'sqlite') return NO_LEASES;
  const { openMongoReadStore } = await import('#platform/read-store/mongodb/mongodb-read-store.js');
  const opening = reached(target.url, untilAnswered, LEASE_CONNECTIONS);
  const database = await located('QUIPU_READ_STORE', target.url, opening);
  const readStore = await openMongoReadStore({ database, clock });
  return { readStore, close: () => database.close() };
};

interface Closable {
  close(): Promise<void>;
}

/** Opens several concurrently, and closes all if one cannot be opened. */
const allOrNone = async <const Parts extends readonly Closable[]>(
  ...opening: { readonly [Index in keyof Parts]: Promise<Parts[Index]> }
): Promise<Parts> => {
  try {
    return await Promise.all(opening);
  } catch (error) {
    for (const one of await Promise.allSettled(opening)) {
      if (one.status === 'fulfilled') await one.value.close();
    }
    throw error;
  }
};

/** Names the variable with the location of an engine that cannot be opened. */
const located = async <T>(variable: string, where: string, opening: Promise<T>): Promise<T> => {
  try {
    return await opening;
  } catch (cause) {
    // The message already names the variable or the file.
    if (cause instanceof SettingsError || cause instanceof SecretsError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = withoutSecrets(`${where}: ${reason}`);
    throw new SettingsError(`bad settings\n  ${variable}: ${message}`, { cause });
  }
};
