import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger } from 'pino';
import { type RunnerStatus } from '../subscriptions/log-progress.js';
import { type CommandSender, type LeaderService } from './leader-service.js';

export interface PollingOptions {
  /** For the status. */
  readonly name: string;
  /** Between the end of a look and the next one. */
  readonly pauseMs: number;
  /** The message of the log for a look that failed; the next look follows all the same. */
  readonly failed: string;
}

/** A leader service that looks at something again and again, with a pause after each look. */
export abstract class PollingService implements LeaderService {
  #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #failure: string | null = null;

  constructor(
    private readonly polling: PollingOptions,
    protected readonly logger: Logger,
  ) {}

  /** One look. It may reject; the status then shows the failure until a look succeeds. */
  protected abstract look(sender: CommandSender, signal: AbortSignal): Promise<void>;

  start(sender: CommandSender): Promise<void> {
    this.#stopping = new AbortController();
    this.#running = this.#run(sender, this.#stopping.signal);
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  status(): RunnerStatus {
    const phase = this.#stopping.signal.aborted ? 'closed' : 'live';
    const { name } = this.polling;
    return { name, phase, position: 0n, failure: this.#failure, retryAt: null };
  }

  async #run(sender: CommandSender, signal: AbortSignal): Promise<void> {
    const { pauseMs, failed } = this.polling;
    while (!signal.aborted) {
      try {
        await this.look(sender, signal);
        this.#failure = null;
      } catch (error) {
        this.#failure = Error.isError(error) ? error.message : String(error);
        this.logger.error({ err: error }, failed);
      }
      await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}
