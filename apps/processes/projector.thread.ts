import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { type Logger } from 'pino';
import { type Bus } from '#platform/bus/bus.port.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type BackOff, backOffMs } from '#platform/kernel/back-off.js';
import { within } from '#platform/kernel/within.js';
import { ProjectorLink } from '#platform/runtime/projector/projector-link.js';
import {
  type ProcessCalls,
  type ProjectorCalls,
} from '#platform/runtime/projector/projector.protocol.js';
import { ThreadCalls } from '#platform/threads/thread-calls.js';
import { type Settings } from '../composition/settings.js';

const WORKER = new URL('./projector.worker.js', import.meta.url);
const RESTARTS: BackOff = { firstMs: 1_000, maxMs: 60_000 };
/** The time of a stop beyond the drain, before the thread is ended. */
const STOP_MS_MAX = 10_000;

export interface ProjectorThreadOptions {
  /** The variables of the process; the projector has the same settings. */
  readonly environment: NodeJS.ProcessEnv;
  readonly link: ProjectorLink;
  readonly logger: Logger;
  readonly drainMs: number;
  /** Default: the projector. */
  readonly source?: URL;
  /** The pauses between two starts of a projector that ends. */
  readonly restarts?: BackOff;
}

/** The services that the process lends to its projector. */
export interface ProjectorServices {
  readonly bus: Pick<Bus, 'publish'>;
  readonly eventStore: Pick<EventStore, 'head'>;
}

interface Running {
  readonly worker: Worker;
  readonly calls: ThreadCalls<ProjectorCalls, ProcessCalls>;
  /** Resolves to the reason when the thread has ended. */
  readonly ended: Promise<string>;
}

/**
 * Runs projections and sagas in a thread, and starts another one when it ends: the stores have
 * their checkpoints.
 */
export class ProjectorThread {
  #running: Running;
  #services: ProjectorServices | undefined;
  #keeping: Promise<void> | undefined;
  readonly #stopped = new AbortController();

  /** The thread loads its code at once, and opens its stores with `start`. */
  constructor(private readonly options: ProjectorThreadOptions) {
    this.#running = this.#spawn();
  }

  get link(): ProjectorLink {
    return this.options.link;
  }

  /** Resolves when projections and sagas run. @throws Error with the reason why they do not */
  async start(services: ProjectorServices): Promise<void> {
    this.#services = services;
    await this.#begin();
    this.#keeping = this.#keepRunning();
  }

  /** Saves what the sagas remember, closes the stores, and ends the thread. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    const { worker, calls } = this.#running;
    const { logger, drainMs } = this.options;
    await within(calls.call('stop', null), drainMs + STOP_MS_MAX).catch((error: unknown) => {
      logger.warn({ err: error }, 'the projector did not stop cleanly');
    });
    await worker.terminate();
    await this.#keeping;
  }

  async #begin(): Promise<void> {
    const { worker, calls } = this.#running;
    await calls.call('begin', null);
    this.options.link.connect(calls, utilizationOf(worker));
  }

  #spawn(): Running {
    const { source = WORKER, environment: env } = this.options;
    const worker = new Worker(source, { env, name: 'projector' });
    const calls = new ThreadCalls<ProjectorCalls, ProcessCalls>(worker, this.#answers());
    const ended = new Promise<string>((resolve) => {
      let failure: string | null = null;
      worker.on('error', (error) => (failure = messageOf(error)));
      worker.on('exit', (code) => {
        const reason = `the projector thread ended: ${failure ?? `exit code ${code}`}`;
        calls.end(reason);
        resolve(reason);
      });
    });
    return { worker, calls, ended };
  }

  #answers(): ProcessCalls {
    const { logger } = this.options;
    return {
      // Reading the head wakes subscriptions of this process.
      appended: () => void this.#services?.eventStore.head().catch(() => undefined),
      publish: async ({ topic, messages }) => this.#services?.bus.publish(topic, messages),
      log: (line) => {
        const { level, time: _, msg, ...fields } = JSON.parse(line) as LoggedLine;
        logger[LEVELS[level] ?? 'error'](fields, msg);
      },
    };
  }

  async #keepRunning(): Promise<void> {
    const { signal } = this.#stopped;
    const { restarts = RESTARTS } = this.options;
    for (let failures = 1; ; failures += 1) {
      const startedAt = performance.now();
      const reason = await this.#running.ended;
      if (signal.aborted) return;
      if (performance.now() - startedAt > restarts.maxMs) failures = 1;
      await this.#replace(reason, backOffMs(restarts, failures));
    }
  }

  async #replace(reason: string, delayMs: number): Promise<void> {
    const { signal } = this.#stopped;
    const { link, logger } = this.options;
    link.disconnect(reason);
    logger.error({ reason, delayMs }, 'projections and sagas have stopped; they are restarted');
    await sleep(delayMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    this.#running = this.#spawn();
    await this.#begin().catch((error: unknown) => {
      logger.error({ err: error }, 'the projector could not start');
      return this.#running.worker.terminate();
    });
  }
}

/** The thread has the settings and the name of its process. */
export const projectorThreadOf = (
  { instance, drainSeconds }: Settings,
  logger: Logger,
  variables: NodeJS.ProcessEnv,
): ProjectorThread => {
  const environment = { ...variables, QUIPU_INSTANCE: instance };
  const drainMs = drainSeconds * 1_000;
  return new ProjectorThread({ environment, link: new ProjectorLink('thread'), logger, drainMs });
};

interface LoggedLine {
  readonly level: number;
  readonly time: number;
  readonly msg: string;
}

/** The levels of pino by their numbers. */
const LEVELS: Readonly<Record<number, 'debug' | 'info' | 'warn' | 'error' | 'fatal'>> = {
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
};

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** Since the last question. */
const utilizationOf = ({ performance: thread }: Worker): (() => number) => {
  let before = thread.eventLoopUtilization();
  return () => {
    const now = thread.eventLoopUtilization();
    const { utilization } = thread.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  };
};
