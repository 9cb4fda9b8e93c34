import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { KeptStreams } from '#platform/kept-streams/kept-streams.js';
import { ProcessRole } from '#platform/runtime/process/process-role.js';
import { Sweeper } from '#platform/runtime/process/sweeper.js';
import { LOGGER } from '#platform/runtime/tokens.js';

/** Removes expired streams every minute. */
@Injectable()
export class StreamSweeper extends Sweeper {
  constructor(
    private readonly streams: KeptStreams,
    role: ProcessRole,
    @Inject(LOGGER) logger: Logger,
  ) {
    super({ everyMs: 60_000, role, logger, what: 'expired streams' });
  }

  protected override sweep(): Promise<unknown> {
    return this.streams.sweep();
  }
}
