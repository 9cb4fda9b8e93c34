import { pino, type Logger } from 'pino';
import { withoutCredentials } from '#areas/identity/authentication/credentials.js';
import { SecretsError } from '#platform/secrets/secrets.error.js';
import { SettingsError } from '#platform/runtime/areas/settings.js';
import { GatewayStartError } from './gateway-start.error.js';
import { withConfigFile } from '../composition/config-file.js';
import { readSettings, type Settings, withoutSecrets } from '../composition/settings.js';

/** A process of the fleet that has started. */
export interface RunningProcess {
  /** Printed when the process is ready. */
  readonly greeting: string;
  /** Called on SIGHUP. */
  reload?(): Promise<void>;
  /** On SIGTERM and SIGINT: rejects new requests, finishes open ones, closes. */
  stop(): Promise<void>;
}

/** The exit code for settings that the operator must correct. */
const EXIT_BAD_SETTINGS = 2;

/** A pipe takes so much at once: lines of several processes on one pipe do not mix. */
const WRITE_BYTES_MAX = 4_096;
/** Lines that wait together for a write, or for a second: a process that is killed loses those. */
const WAITING_BYTES = 3_584;

/** Error messages of an upstream may contain the caller's prompt or the API key. */
const UPSTREAM_WORDS = ['err.details.upstreamError', 'err.details.rigError.details.upstreamError'];

/** Runs a process from its settings to its exit. The exit code is 0 after a clean stop. */
export const runProcess = (
  start: (settings: Settings, logger: Logger) => Promise<RunningProcess>,
): void => {
  run(start).catch((error: unknown) => {
    // The gateway has printed the reason.
    if (error instanceof GatewayStartError) process.exit(error.exitCode);
    const message = badSetting(error);
    const defect = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`${withoutCredentials(withoutSecrets(message ?? defect))}\n`);
    process.exit(message === undefined ? 1 : EXIT_BAD_SETTINGS);
  });
};

const run = async (
  start: (settings: Settings, logger: Logger) => Promise<RunningProcess>,
): Promise<void> => {
  // Threads and further processes inherit the settings of the file.
  Object.assign(process.env, await withConfigFile(process.env));
  const settings = readSettings(process.env);
  // Asynchronous, so that a request never waits for the terminal.
  const destination = pino.destination({
    sync: false,
    minLength: WAITING_BYTES,
    maxWrite: WRITE_BYTES_MAX,
  });
  const redact = { paths: UPSTREAM_WORDS, remove: true };
  // A caller may write its key into a path.
  const hooks = { streamWrite: withoutCredentials };
  const logger = pino({ level: settings.logLevel, base: null, redact, hooks }, destination);
  const flushing = setInterval(() => void flushed(destination), 1_000).unref();
  const running = await start(settings, logger);
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    logger.info({ signal }, 'stopping');
    let exitCode = 0;
    try {
      await running.stop();
    } catch (error) {
      logger.fatal({ err: error }, 'the process did not stop cleanly');
      exitCode = 1;
    }
    clearInterval(flushing);
    await flushed(destination);
    process.exit(exitCode);
  };
  const reload = (): void =>
    void running
      .reload?.()
      .catch((error: unknown) => logger.error({ err: error }, 'the process did not reload'));
  process.on('SIGHUP', reload);
  process.once('SIGTERM', (signal) => void stop(signal));
  process.once('SIGINT', (signal) => void stop(signal));
  process.stdout.write(running.greeting);
};

/**
 * Resolves when the log is written or its pipe is closed. `flushSync` would never return with a
 * closed pipe (sonic-boom 4 repeats a write that fails with EPIPE).
 */
const flushed = (destination: ReturnType<typeof pino.destination>): Promise<void> =>
  new Promise((resolve) => {
    destination.flush(() => {
      resolve();
    });
  });

/** The message for an error that the operator can correct; undefined for a defect. */
const badSetting = (error: unknown): string | undefined => {
  const isTheirs = error instanceof SettingsError || error instanceof SecretsError;
  return isTheirs ? error.message : undefined;
};
