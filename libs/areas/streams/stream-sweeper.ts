import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { type Logger } from 'pino';
import { KeptStreams } from '#platform/kept-streams/kept-streams.js';
import { ProcessRole } from '#platform/runtime/process-role.js';
import { LOGGER } from '#platform/runtime/tokens.js';

const EVERY_MS = 60_000;

/**
 * Removes expired streams where callers are served. A sweep that fails is logged; the next one
 * tries again, here or in another process.
 */
@Injectable()
export class StreamSweeper implements OnApplicationBootstrap, OnApplicationShutdown {
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly streams: KeptStreams,
    private readonly role: ProcessRole,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.role.servesCallers) return;
    this.#timer = setInterval(() => void this.#sweep(), EVERY_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.#timer);
  }

  async #sweep(): Promise<void> {
    try {
      await this.streams.sweep();
    } catch (error) {
      this.logger.warn({ err: error }, 'expired streams could not be removed');
    }
  }
}
