import { pino, type Logger } from 'pino';
import { CatalogError } from '#areas/catalog/catalog.error.js';
import { MasterKeyError } from '#platform/secrets/master-key.js';
import {
  readSettings,
  type Settings,
  SettingsError,
  withoutSecrets,
} from '../composition/settings.js';

/** A process of the fleet that has started. */
export interface RunningProcess {
  /** Printed once it is ready. */
  readonly greeting: string;
  /** On SIGHUP. */
  reload?(): Promise<void>;
  /** On SIGTERM and SIGINT: takes nothing new, finishes what is open, closes. */
  stop(): Promise<void>;
}

/** How a start that cannot succeed ends; 2 is for whoever set it up. */
const EXIT_BAD_SETTINGS = 2;

/** What an upstream says of a failure may hold the caller's prompt, or the key it was asked with. */
const UPSTREAM_WORDS = ['err.details.upstreamError', 'err.details.rigError.details.upstreamError'];

/** Runs a process from its settings to its exit: 0 after a stop in good order. */
export const runProcess = (
  start: (settings: Settings, logger: Logger) => Promise<RunningProcess>,
): void => {
  run(start).catch((error: unknown) => {
    const told = badSetting(error);
    const defect = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`${withoutSecrets(told ?? defect)}\n`);
    process.exit(told === undefined ? 1 : EXIT_BAD_SETTINGS);
  });
};

const run = async (
  start: (settings: Settings, logger: Logger) => Promise<RunningProcess>,
): Promise<void> => {
  const settings = readSettings(process.env);
  // Asynchronous: a line of log never makes a request wait for the terminal.
  const destination = pino.destination({ sync: false, minLength: 4_096 });
  const redact = { paths: UPSTREAM_WORDS, remove: true };
  const logger = pino({ level: settings.logLevel, base: null, redact }, destination);
  const flushing = setInterval(() => void flushed(destination), 1_000).unref();
  const running = await start(settings, logger);
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    logger.info({ signal }, 'stopping');
    let exitCode = 0;
    try {
      await running.stop();
    } catch (error) {
      logger.fatal({ err: error }, 'could not stop in good order');
      exitCode = 1;
    }
    clearInterval(flushing);
    await flushed(destination);
    process.exit(exitCode);
  };
  process.on('SIGHUP', () => void running.reload?.());
  process.once('SIGTERM', (signal) => void stop(signal));
  process.once('SIGINT', (signal) => void stop(signal));
  process.stdout.write(running.greeting);
};

/**
 * Resolves when the log is written, or when nobody reads it any more: `flushSync` would wait for
 * ever then (sonic-boom 4 repeats a write that fails with EPIPE).
 */
const flushed = (destination: ReturnType<typeof pino.destination>): Promise<void> =>
  new Promise((resolve) => {
    destination.flush(() => {
      resolve();
    });
  });

/** What whoever set it up can mend, in a sentence; undefined for a defect. */
const badSetting = (error: unknown): string | undefined => {
  if (error instanceof CatalogError) return `bad settings\n  QUIPU_CATALOG: ${error.message}`;
  const isTheirs = error instanceof SettingsError || error instanceof MasterKeyError;
  return isTheirs ? error.message : undefined;
};
