import { type Logger } from 'pino';
import { type NoteSignature } from '#platform/audit/signed-note.js';
import { type BackOff, backOffMs } from '#platform/kernel/back-off.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type CheckpointToCosign, type WitnessClient, WitnessError } from './witness-client.js';

const RETRIES: BackOff = { firstMs: 1_000, maxMs: 60_000 };

/** One witness, and when it is asked again after a failure. */
export class Cosigner {
  #failures = 0;
  #dueAtMs = 0;

  constructor(private readonly client: WitnessClient) {}

  isDue(nowMs: number): boolean {
    return nowMs >= this.#dueAtMs;
  }

  hasSigned(signatures: readonly NoteSignature[]): boolean {
    const { name, id } = this.client.key;
    return signatures.some((one) => one.name === name && one.id === id);
  }

  /** @returns the signature lines, or nothing after a failure */
  async cosign(checkpoint: CheckpointToCosign, clock: Clock, logger: Logger): Promise<string> {
    try {
      const lines = await this.client.cosign(checkpoint);
      this.#failures = 0;
      this.#dueAtMs = 0;
      return lines;
    } catch (error) {
      if (!(error instanceof WitnessError)) throw error;
      this.#failures += 1;
      this.#dueAtMs = clock.now() + backOffMs(RETRIES, this.#failures);
      // Each further failure in a row says the same.
      if (this.#failures === 1) logger.warn({ reason: error.message }, 'a witness did not cosign');
      return '';
    }
  }
}
