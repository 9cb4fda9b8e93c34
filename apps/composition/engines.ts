import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { type Logger } from 'pino';
import { type AnswerStore } from '#platform/idempotency/answer-store.port.js';
import { LazyAnswerStore } from '#platform/idempotency/sqlite/lazy-answer-store.js';
import { openSqliteAnswerStore } from '#platform/idempotency/sqlite/sqlite-answer-store.js';
import { type Bus } from '#platform/bus/bus.port.js';
import { createInProcessBus } from '#platform/bus/in-process/in-process-bus.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { openSqliteEventStore } from '#platform/event-store/sqlite/sqlite-event-store.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { openSqliteReadStore } from '#platform/read-store/sqlite/sqlite-read-store.js';
import { type Area } from '#platform/runtime/area.js';
import { type Engines } from '#platform/runtime/runtime.js';
import { MasterKeyError } from '#platform/secrets/master-key.js';
import { openSecrets, type Secrets } from '#platform/secrets/secrets.js';
import { areas as shippedAreas } from './areas.js';
import { SettingsError } from '#platform/runtime/settings.js';
import { type Settings, withoutSecrets } from './settings.js';
import { topicSettingsOf } from './topic-settings.js';

/** The stores, bus and secrets of a process, opened at its start and closed at its end. */
export interface OpenEngines extends Engines {
  readonly secrets: Secrets;
  readonly answers: AnswerStore;
  close(): Promise<void>;
}

/** The stores of shared data that are not events: read models, answers and keys. */
interface SharedStores {
  readonly readStore: ReadStore;
  readonly secrets: Secrets;
  readonly answers: AnswerStore;
  /** Closes in the reverse order of opening. */
  close(): Promise<void>;
}

/** Opens the adapter that each setting names. No other file chooses adapters. */
export const openEngines = async (
  settings: Settings,
  clock: Clock,
  logger: Logger,
  areas: readonly Area[] = shippedAreas,
): Promise<OpenEngines> => {
  await openHome(settings);
  const opened = await allOrNone(
    openEventStore(settings, clock, logger),
    openSharedStores(settings, clock),
    openBus(settings, logger, areas),
  );
  const [eventStore, shared, bus] = opened;
  const { readStore, secrets, answers } = shared;
  return {
    eventStore,
    readStore,
    bus,
    clock,
    logger,
    secrets,
    answers,
    close: async () => {
      await bus.close();
      await shared.close();
      await eventStore.close();
    },
  };
};

/** The folder of a store in files. */
export const openHome = ({ home }: Settings): Promise<unknown> =>
  located('QUIPU_HOME', home, mkdir(home, { recursive: true, mode: 0o700 }));

export const openEventStore = (
  { eventStore: target }: Settings,
  clock: Clock,
  logger: Logger,
): Promise<EventStore> => {
  switch (target.kind) {
    case 'sqlite': {
      const { file } = target;
      return located('QUIPU_EVENT_STORE', file, openSqliteEventStore({ file, clock }));
    }
    case 'eventstoredb':
      return located('QUIPU_EVENT_STORE', target.url, openEventStoreDb(target.url, logger));
  }
};

const openEventStoreDb = async (url: string, logger: Logger): Promise<EventStore> => {
  const adapter = await import('#platform/event-store/eventstoredb/eventstoredb-event-store.js');
  return adapter.openEventStoreDb({ url, logger });
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

const openSharedStores = (settings: Settings, clock: Clock): Promise<SharedStores> => {
  const { readStore: target } = settings;
  switch (target.kind) {
    case 'sqlite':
      return openFiles(target.file, settings, clock);
    case 'mongodb':
      return located('QUIPU_READ_STORE', target.url, openDatabase(target.url, settings, clock));
  }
};

const openFiles = async (file: string, settings: Settings, clock: Clock): Promise<SharedStores> => {
  const { home: directory, masterKeyFile } = settings;
  const secrets = await openSecrets({ directory, masterKeyFile });
  const readStore = await located('QUIPU_READ_STORE', file, openSqliteReadStore({ file }));
  const answersFile = path.join(directory, 'answers.db');
  const encryptionKey = secrets.key('idempotency');
  const answers = new LazyAnswerStore(answersFile, () =>
    openSqliteAnswerStore({ file: answersFile, encryptionKey, clock }),
  );
  const close = async (): Promise<void> => {
    await answers.close();
    await readStore.close();
    secrets.close();
  };
  return { readStore, secrets, answers, close };
};

/** Loads the client, some 20 MB of code, only for an installation that uses it. */
const openDatabase = async (
  url: string,
  settings: Settings,
  clock: Clock,
): Promise<SharedStores> => {
  const [{ openMongoDatabase }, { openMongoReadStore }, { openMongoAnswerStore }, subjects] =
    await Promise.all([
      import('#platform/mongodb/mongo-database.js'),
      import('#platform/read-store/mongodb/mongodb-read-store.js'),
      import('#platform/idempotency/mongodb/mongodb-answer-store.js'),
      import('#platform/secrets/mongodb/mongodb-subject-keys.js'),
    ]);
  const database = await openMongoDatabase({ url });
  try {
    const { home: directory, masterKeyFile } = settings;
    const sharedKeys = subjects.mongoSubjectKeys(database);
    const secrets = await openSecrets({ directory, masterKeyFile, sharedKeys });
    const readStore = await openMongoReadStore({ database, clock });
    const encryptionKey = secrets.key('idempotency');
    const answers = await openMongoAnswerStore({ database, encryptionKey, clock });
    const close = async (): Promise<void> => {
      await answers.close();
      await readStore.close();
      secrets.close();
      await database.close();
    };
    return { readStore, secrets, answers, close };
  } catch (error) {
    await database.close();
    throw error;
  }
};

interface Closable {
  close(): Promise<void>;
}

/** Opens several concurrently, and closes all if one cannot be opened. */
const allOrNone = async <One extends Closable, Two extends Closable, Three extends Closable>(
  ...opening: readonly [Promise<One>, Promise<Two>, Promise<Three>]
): Promise<readonly [One, Two, Three]> => {
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
    if (cause instanceof SettingsError || cause instanceof MasterKeyError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = withoutSecrets(`${where}: ${reason}`);
    throw new SettingsError(`bad settings\n  ${variable}: ${message}`, { cause });
  }
};
