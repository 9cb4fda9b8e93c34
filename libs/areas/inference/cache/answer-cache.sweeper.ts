import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { ProcessRole } from '#platform/runtime/process/process-role.js';
import { Sweeper } from '#platform/runtime/process/sweeper.js';
import { LOGGER } from '#platform/runtime/tokens.js';
import { AnswerCache } from './answer-cache.js';

/** Removes expired answers of the cache every minute. */
@Injectable()
export class AnswerCacheSweeper extends Sweeper {
  constructor(
    private readonly answers: AnswerCache,
    role: ProcessRole,
    @Inject(LOGGER) logger: Logger,
  ) {
    super({ everyMs: 60_000, role, logger, what: 'expired answers of the cache' });
  }

  protected override sweep(): Promise<unknown> {
    return this.answers.sweep();
  }
}
