import { access } from 'node:fs/promises';
import { type Logger, pino } from 'pino';
import { systemClock } from '#platform/kernel/clock.js';
import { SecretsError } from '#platform/secrets/secrets.error.js';
import { type Area } from '#platform/runtime/areas/area.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type OpenEngines, openEngines, openEventStore } from '../composition/engines.js';
import { SettingsError } from '#platform/runtime/areas/settings.js';
import { readSettings, type Settings } from '../composition/settings.js';
import { CommandFailure } from './command-failure.js';
import { EXIT } from './exit-code.js';
import { type Invocation } from './invocation.js';

export interface Installation {
  readonly settings: Settings;
  readonly engines: OpenEngines;
  readonly logger: Logger;
}

/** `may-begin`: the command may create the installation. */
export type Expectation = 'exists' | 'may-begin';

/**
 * Opens the engines that the settings name and closes them after the work. A server may be running
 * on the same files. A mistyped QUIPU_HOME is an error: only `may-begin` creates the directory.
 * @throws CommandFailure `bad_settings`, `no_installation`
 */
export const withInstallation = async <Result>(
  { environment, parts }: Invocation,
  expectation: Expectation,
  work: (installation: Installation) => Promise<Result>,
): Promise<Result> => {
  const settings = settingsOf(environment, parts?.areas);
  if (expectation === 'exists') await expectLog(settings);
  const logger = loggerOf(settings, environment);
  const engines = await asBadSettings(openEngines(settings, systemClock, logger));
  try {
    return await work({ settings, engines, logger });
  } finally {
    await engines.close();
  }
};

/**
 * Opens only the log, which needs no key.
 * @throws CommandFailure `bad_settings`, `no_installation`
 */
export const withLog = async <Result>(
  { environment, parts }: Invocation,
  work: (settings: Settings, eventStore: EventStore) => Promise<Result>,
): Promise<Result> => {
  const settings = settingsOf(environment, parts?.areas);
  await expectLog(settings);
  const logger = loggerOf(settings, environment);
  const eventStore = await asBadSettings(openEventStore(settings, systemClock, logger));
  try {
    return await asBadSettings(work(settings, eventStore));
  } finally {
    await eventStore.close();
  }
};

/** @throws CommandFailure `bad_settings` */
export const settingsOf = (environment: NodeJS.ProcessEnv, areas?: readonly Area[]): Settings => {
  try {
    return readSettings(environment, areas);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    throw new CommandFailure('bad_settings', error.message, EXIT.usage, { cause: error });
  }
};

/** Checks a log file only: the adapter of a server reports its own failures. */
export const expectLog = async ({ eventStore }: Settings): Promise<void> => {
  if (eventStore.kind !== 'sqlite') return;
  try {
    await access(eventStore.file);
  } catch (cause) {
    const reason = `there is no event log at ${eventStore.file}`;
    const message = `${reason}; set QUIPU_HOME to an installation`;
    throw new CommandFailure('no_installation', message, EXIT.usage, { cause });
  }
};

/** Logs only when `QUIPU_LOG_LEVEL` is set: a command prints its own failures. */
export const loggerOf = ({ logLevel }: Settings, environment: NodeJS.ProcessEnv): Logger => {
  const level = environment['QUIPU_LOG_LEVEL'] ? logLevel : 'silent';
  return pino({ level, base: null }, pino.destination({ fd: 2, sync: true }));
};

/** Errors that an operator corrects in the settings or the files that they name. */
export const asBadSettings = async <Result>(work: Promise<Result>): Promise<Result> => {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof SecretsError || error instanceof SettingsError)) throw error;
    throw new CommandFailure('bad_settings', error.message, EXIT.usage, { cause: error });
  }
};
