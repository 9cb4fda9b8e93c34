import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { ProcessRole } from '#platform/runtime/process/process-role.js';
import { Sweeper } from '#platform/runtime/process/sweeper.js';
import { LOGGER } from '#platform/runtime/tokens.js';
import { AnswerStore } from './answer-store.port.js';

/** Removes expired answers every minute. */
@Injectable()
export class AnswerSweeper extends Sweeper {
  constructor(
    private readonly answers: AnswerStore,
    role: ProcessRole,
    @Inject(LOGGER) logger: Logger,
  ) {
    super({ everyMs: 60_000, role, logger, what: 'expired answers' });
  }

  protected override sweep(): Promise<unknown> {
    return this.answers.sweep();
  }
}
