import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { ProcessRole } from '#platform/runtime/process/process-role.js';
import { Sweeper } from '#platform/runtime/process/sweeper.js';
import { LOGGER } from '#platform/runtime/tokens.js';
import { Blobs } from './blobs.port.js';

/** Sweeps the blobs every hour. */
@Injectable()
export class BlobSweeper extends Sweeper {
  constructor(
    private readonly blobs: Blobs,
    role: ProcessRole,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super({ everyMs: 3_600_000, role, logger, what: 'blobs without a reference' });
  }

  protected override async sweep(): Promise<void> {
    const report = await this.blobs.sweep();
    if (report.bytesFreed > 0) this.logger.info(report, 'blobs without a reference were removed');
  }
}
