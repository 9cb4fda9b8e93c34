import 'reflect-metadata';
import { pino } from 'pino';
import { CatalogError } from '#areas/catalog/catalog.error.js';
import { MasterKeyError } from '#platform/secrets/master-key.js';
import { readSettings, SettingsError } from '../composition/settings.js';
import { greeting } from './greeting.js';
import { startStandalone } from './standalone.js';

/** How a start that cannot succeed ends; 2 is for whoever set it up. */
const EXIT_BAD_SETTINGS = 2;

/** What an upstream says of a failure may hold the caller's prompt, or the key it was asked with. */
const UPSTREAM_WORDS = ['err.details.upstreamError', 'err.details.rigError.details.upstreamError'];

const main = async (): Promise<void> => {
  const settings = readSettings(process.env);
  // Asynchronous: a line of log never makes a request wait for the terminal.
  const destination = pino.destination({ sync: false, minLength: 4_096 });
  const redact = { paths: UPSTREAM_WORDS, remove: true };
  const logger = pino({ level: settings.logLevel, base: null, redact }, destination);
  const flushing = setInterval(() => void flushed(destination), 1_000).unref();
  const running = await startStandalone(settings, logger);
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
  process.on('SIGHUP', () => void running.reload());
  process.once('SIGTERM', (signal) => void stop(signal));
  process.once('SIGINT', (signal) => void stop(signal));
  if (running.bootstrap) {
    process.stdout.write(greeting(running.url, running.bootstrap, running.bootstrapFile));
  } else {
    process.stdout.write(`Quipu is ready at ${running.url}\n`);
  }
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

main().catch((error: unknown) => {
  const told = badSetting(error);
  const defect = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${told ?? defect}\n`);
  process.exit(told === undefined ? 1 : EXIT_BAD_SETTINGS);
});
