import { setTimeout as sleep } from 'node:timers/promises';
import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { DomainError } from '#platform/kernel/domain-error.js';
import { ProcessRole } from '#platform/runtime/process/process-role.js';
import { Runtime } from '#platform/runtime/runtime.js';
import { AdmissionPace } from './admission-pace.js';
import { ADMISSION_SETTINGS, type AdmissionSettings } from './admission.settings.js';

const LOOK_MS = 1_000;
const RETRY_AFTER_SECONDS = 2;
/** The log is compared with the read models with every fifth look, and when it shrinks. */
const LOOKS_PER_COMPARISON = 5;
/** A start does not wait longer for a log that does not answer. */
const FIRST_LOOK_MS = 2_000;
/**
 * The lag of so many read models counts: one that has stopped at an event is a fault that fewer
 * requests do not remove.
 */
const READERS_MIN = 3;

/**
 * Whether more paid work is admitted now. While the readers of the log fall behind, a growing part
 * of it is refused: balances and history would be too old to be of use. All of it is refused on a
 * log that lacks events that read models have read, until an operator has confirmed the log.
 */
@Injectable()
export class Admission implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #pace: AdmissionPace;
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  #looks = 0;
  /** The description of the events that the log lacks, or null. */
  #foreign: string | null = null;

  constructor(
    private readonly runtime: Runtime,
    private readonly role: ProcessRole,
    @Inject(ADMISSION_SETTINGS) private readonly settings: AdmissionSettings,
  ) {
    this.#pace = new AdmissionPace(settings.lagMsMax);
  }

  async onApplicationBootstrap(): Promise<void> {
    if (!this.role.servesCallers) return;
    this.#timer = setInterval(() => void this.look(), LOOK_MS).unref();
    await Promise.race([this.look(), sleep(FIRST_LOOK_MS, undefined, { ref: false })]);
  }

  onApplicationShutdown(): void {
    clearInterval(this.#timer);
  }

  /** @throws DomainError `log_foreign`, `readers_behind` */
  demand(): void {
    if (this.#foreign !== null) {
      const detail = 'the log of this service was exchanged; its operator has to confirm it';
      throw new DomainError('log_foreign', detail, { reason: this.#foreign });
    }
    if (this.#pace.admits()) return;
    const detail = 'read models are behind, so fewer requests are admitted for now; try again';
    const metadata = { retry_after_seconds: RETRY_AFTER_SECONDS };
    throw new DomainError('readers_behind', detail, metadata);
  }

  /** One at a time. While a store does not answer, the pace stays as it is. */
  async look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      await this.#compare();
      if (this.settings.lagMsMax === 0) return;
      const lags = (await this.runtime.projectionHost.status()).map(({ lagMs }) => lagMs);
      const farthest = lags.toSorted((one, other) => other - one);
      this.#pace.look(farthest[Math.min(READERS_MIN, farthest.length) - 1] ?? 0);
    } catch {
      // Readiness reports the store.
    } finally {
      this.#isLooking = false;
    }
  }

  async #compare(): Promise<void> {
    const { standing } = this.runtime;
    const isDue = this.#looks % LOOKS_PER_COMPARISON === 0;
    this.#looks += 1;
    if (!(await standing.hasShrunk()) && !isDue) return;
    const foreign = await standing.unconfirmed();
    this.#foreign = foreign && `${foreign.checkpoint.name}: ${foreign.reason}`;
  }
}
