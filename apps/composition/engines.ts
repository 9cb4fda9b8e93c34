import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { type Logger } from 'pino';
import { type AnswerStore } from '#areas/inference/idempotency/answer-store.port.js';
import { openSqliteAnswerStore } from '#areas/inference/idempotency/sqlite/sqlite-answer-store.js';
import { createInProcessBus } from '#platform/bus/in-process/in-process-bus.js';
import { openSqliteEventStore } from '#platform/event-store/sqlite/sqlite-event-store.js';
import { type Clock } from '#platform/kernel/clock.js';
import { openSqliteReadStore } from '#platform/read-store/sqlite/sqlite-read-store.js';
import { type Engines } from '#platform/runtime/runtime.js';
import { openSecrets, type Secrets } from '#platform/secrets/secrets.js';
import { lazyAnswers } from './lazy-answers.js';
import { type Settings, SettingsError } from './settings.js';

/** Everything that is opened at start and closed at the end. */
export interface OpenEngines extends Engines {
  readonly secrets: Secrets;
  readonly answers: AnswerStore;
  close(): Promise<void>;
}

/** A request that was given up is settled within this time, and its key then free. */
const LEASE_MARGIN_MS = 300_000;

/** Opens the engine that each setting names; only here is an adapter picked. */
export const openEngines = async (
  { home, eventsFile, viewsFile, requestSeconds }: Settings,
  clock: Clock,
  logger: Logger,
): Promise<OpenEngines> => {
  await located('QUIPU_HOME', home, mkdir(home, { recursive: true, mode: 0o700 }));
  const secrets = await openSecrets({ directory: home });
  const [eventStore, readStore] = await Promise.all([
    located('QUIPU_EVENT_STORE', eventsFile, openSqliteEventStore({ file: eventsFile, clock })),
    located('QUIPU_READ_STORE', viewsFile, openSqliteReadStore({ file: viewsFile })),
  ]);
  const answersFile = path.join(home, 'answers.db');
  const answers = lazyAnswers(answersFile, () =>
    openSqliteAnswerStore({
      file: answersFile,
      encryptionKey: secrets.key('idempotency'),
      clock,
      leaseMs: requestSeconds * 1_000 + LEASE_MARGIN_MS,
    }),
  );
  const bus = createInProcessBus();
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
      await answers.close();
      await readStore.close();
      await eventStore.close();
      secrets.close();
    },
  };
};

/** What cannot be opened is named by the variable that says where it lies. */
const located = async <T>(variable: string, file: string, opening: Promise<T>): Promise<T> => {
  try {
    return await opening;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SettingsError(`bad settings\n  ${variable}: ${file}: ${reason}`, { cause });
  }
};
