import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { type Logger } from 'pino';
import { ProcessRole } from '#platform/runtime/process-role.js';
import { LOGGER } from '#platform/runtime/tokens.js';
import { AnswerStore } from './answer-store.port.js';

const EVERY_MS = 60_000;

/**
 * Removes expired answers where callers are served. A sweep that fails is logged; the next one
 * tries again, here or in another process.
 */
@Injectable()
export class AnswerSweeper implements OnApplicationBootstrap, OnApplicationShutdown {
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly answers: AnswerStore,
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
      await this.answers.sweep();
    } catch (error) {
      this.logger.warn({ err: error }, 'expired answers could not be removed');
    }
  }
}
