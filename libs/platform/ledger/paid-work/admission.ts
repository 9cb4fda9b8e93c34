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
/**
 * The lag of so many read models counts: one that has stopped at an event is a fault that fewer
 * requests do not remove.
 */
const READERS_MIN = 3;

/**
 * Whether more paid work is admitted now. While the readers of the log fall behind, a growing part
 * of it is refused: balances and history would be too old to be of use.
 */
@Injectable()
export class Admission implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #pace: AdmissionPace;
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;

  constructor(
    private readonly runtime: Runtime,
    private readonly role: ProcessRole,
    @Inject(ADMISSION_SETTINGS) private readonly settings: AdmissionSettings,
  ) {
    this.#pace = new AdmissionPace(settings.lagMsMax);
  }

  onApplicationBootstrap(): void {
    if (!this.role.servesCallers || this.settings.lagMsMax === 0) return;
    this.#timer = setInterval(() => void this.look(), LOOK_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.#timer);
  }

  /** @throws DomainError `readers_behind` */
  demand(): void {
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
      const lags = (await this.runtime.projectionHost.status()).map(({ lagMs }) => lagMs);
      const farthest = lags.toSorted((one, other) => other - one);
      this.#pace.look(farthest[Math.min(READERS_MIN, farthest.length) - 1] ?? 0);
    } catch {
      // Readiness reports the store.
    }
    this.#isLooking = false;
  }
}
