import { NO_TELEMETRY, type Telemetry } from '#platform/telemetry/telemetry.js';
import { type MachineTelemetry } from '#platform/telemetry/machine-telemetry.js';

/** Reads the sensors beside the heartbeats, so that a tool that hangs delays none of them. */
export class TelemetrySampler {
  #last = NO_TELEMETRY;
  #reading: Promise<void> | undefined;
  readonly #timer: NodeJS.Timeout;

  constructor(
    private readonly machine: Pick<MachineTelemetry, 'read'>,
    intervalMs: number,
  ) {
    this.#sample();
    this.#timer = setInterval(() => this.#sample(), intervalMs).unref();
  }

  /** The last reading. */
  get telemetry(): Telemetry {
    return this.#last;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#reading;
  }

  #sample(): void {
    this.#reading ??= this.machine
      .read()
      .then((telemetry) => {
        this.#last = telemetry;
      })
      .finally(() => (this.#reading = undefined));
  }
}
