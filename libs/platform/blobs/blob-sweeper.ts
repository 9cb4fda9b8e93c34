import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { type Logger } from 'pino';
import { ProcessRole } from '#platform/runtime/process-role.js';
import { LOGGER } from '#platform/runtime/tokens.js';
import { Blobs } from './blobs.port.js';

const EVERY_MS = 60 * 60 * 1_000;

/**
 * Sweeps the blobs every hour where callers are served. A sweep that fails is logged; the next one
 * tries again, here or in another process.
 */
@Injectable()
export class BlobSweeper implements OnApplicationBootstrap, OnApplicationShutdown {
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly blobs: Blobs,
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
      const report = await this.blobs.sweep();
      if (report.bytesFreed > 0) this.logger.info(report, 'blobs without a reference were removed');
    } catch (error) {
      this.logger.warn({ err: error }, 'blobs without a reference could not be removed');
    }
  }
}
