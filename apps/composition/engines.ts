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
import { type Settings } from './settings.js';

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
  await mkdir(home, { recursive: true, mode: 0o700 });
  const secrets = await openSecrets({ directory: home });
  const [eventStore, readStore, answers] = await Promise.all([
    openSqliteEventStore({ file: eventsFile, clock }),
    openSqliteReadStore({ file: viewsFile }),
    openSqliteAnswerStore({
      file: path.join(home, 'answers.db'),
      encryptionKey: secrets.key('idempotency'),
      clock,
      leaseMs: requestSeconds * 1_000 + LEASE_MARGIN_MS,
    }),
  ]);
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
