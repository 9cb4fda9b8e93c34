import { access } from 'node:fs/promises';
import { type Logger, pino } from 'pino';
import { systemClock } from '#platform/kernel/clock.js';
import { MasterKeyError } from '#platform/secrets/master-key.js';
import { type Area } from '#platform/runtime/area.js';
import { type OpenEngines, openEngines } from '../composition/engines.js';
import { readSettings, type Settings, SettingsError } from '../composition/settings.js';
import { CommandFailure } from './command-failure.js';
import { EXIT } from './exit-code.js';
import { type Invocation } from './invocation.js';

export interface Installation {
  readonly settings: Settings;
  readonly engines: OpenEngines;
  readonly logger: Logger;
}

/** `may-begin`: the command may be the first thing that an installation ever sees. */
export type Expectation = 'exists' | 'may-begin';

/**
 * Opens the engines that the settings name, beside a running server or without one, and closes them
 * after the work. A mistyped QUIPU_HOME is told, not made.
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
  const engines = await open(settings, logger);
  try {
    return await work({ settings, engines, logger });
  } finally {
    await engines.close();
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

/** A server's log is there or tells so itself. */
const expectLog = async ({ eventStore }: Settings): Promise<void> => {
  if (eventStore.kind !== 'sqlite') return;
  try {
    await access(eventStore.file);
  } catch (cause) {
    const message = `there is no event log at ${eventStore.file}; set QUIPU_HOME to an installation`;
    throw new CommandFailure('no_installation', message, EXIT.usage, { cause });
  }
};

/** A command tells its own failures; what happens below is shown when asked for. */
export const loggerOf = ({ logLevel }: Settings, environment: NodeJS.ProcessEnv): Logger => {
  const level = environment['QUIPU_LOG_LEVEL'] ? logLevel : 'silent';
  return pino({ level, base: null }, pino.destination({ fd: 2, sync: true }));
};

const open = async (settings: Settings, logger: Logger): Promise<OpenEngines> => {
  try {
    return await openEngines(settings, systemClock, logger);
  } catch (error) {
    if (!(error instanceof MasterKeyError || error instanceof SettingsError)) throw error;
    throw new CommandFailure('bad_settings', error.message, EXIT.usage, { cause: error });
  }
};
