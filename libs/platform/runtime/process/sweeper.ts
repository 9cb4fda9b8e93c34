import { type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type Logger } from 'pino';
import { type ProcessRole } from './process-role.js';

export interface SweeperOptions {
  readonly everyMs: number;
  readonly role: ProcessRole;
  readonly logger: Logger;
  /** The removed items, in the plural, for the log. */
  readonly what: string;
}

/**
 * Removes expired items at an interval, where callers are served. A sweep that fails is logged;
 * the next one tries again, here or in another process.
 */
export abstract class Sweeper implements OnApplicationBootstrap, OnApplicationShutdown {
  #timer: NodeJS.Timeout | undefined;

  protected constructor(private readonly options: SweeperOptions) {}

  protected abstract sweep(): Promise<unknown>;

  onApplicationBootstrap(): void {
    const { role, everyMs } = this.options;
    if (role.servesCallers) this.#timer = setInterval(() => void this.#try(), everyMs).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.#timer);
  }

  async #try(): Promise<void> {
    try {
      await this.sweep();
    } catch (error) {
      const { logger, what } = this.options;
      logger.warn({ err: error }, `${what} could not be removed`);
    }
  }
}
