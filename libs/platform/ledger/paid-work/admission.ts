import { setTimeout as sleep } from 'node:timers/promises';
import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { DomainError } from '#platform/kernel/domain-error.js';
import { LOG_FOREIGN } from '#platform/runtime/log-standing/log-epoch.js';
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
 * log that lacks events that read models or commands have read, until an operator has confirmed it.
 */
@Injectable()
export class Admission implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #pace: AdmissionPace;
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  #looks = 0;

  constructor(
    private readonly runtime: Runtime,
    private readonly role: ProcessRole,
    @Inject(ADMISSION_SETTINGS) private readonly settings: AdmissionSettings,
  ) {
    this.#pace = new AdmissionPace(settings.lagMsMax);
  }

  async onApplicationBootstrap(): Promise<void> {
    // Processes without callers charge too: for gateways of their group, and by their sagas.
    if (this.role.name === 'cli') return;
    this.#timer = setInterval(() => void this.look(), LOOK_MS).unref();
    await Promise.race([this.look(), sleep(FIRST_LOOK_MS, undefined, { ref: false })]);
  }

  onApplicationShutdown(): void {
    clearInterval(this.#timer);
  }

  /** @throws DomainError `log_foreign`, `readers_behind` */
  demand(): void {
    const { doubt } = this.runtime.standing;
    if (doubt !== null) {
      const reason = `${doubt.checkpoint.name}: ${doubt.reason}`;
      throw new DomainError('log_foreign', LOG_FOREIGN, { reason });
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
      if (this.settings.lagMsMax === 0 || !this.role.servesCallers) return;
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
    if ((await standing.hasShrunk()) || isDue) await standing.compare();
  }
}
