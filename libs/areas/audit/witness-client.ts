import { boundedBytes } from '#platform/kernel/bounded-bytes.js';
import { hashLines } from '#platform/audit/tlog-proof.js';
import {
  NoteError,
  parseNote,
  parseSignatures,
  signersOf,
  type VerifierKey,
} from '#platform/audit/signed-note.js';
import { type Witness } from './audit.settings.js';

const TIMEOUT_MS = 5_000;
/** Signature lines, or a size; a witness sends no more. */
const ANSWER_BYTES_MAX = 65_536;

/** A witness did not cosign; the message says why, and a retry may help. */
export class WitnessError extends Error {
  override readonly name = 'WitnessError';
}

export interface CheckpointToCosign {
  readonly size: number;
  /** The signed note. */
  readonly note: string;
  /** The proof that the tree begins with the tree of `oldSize`. */
  readonly consistency: (oldSize: number) => Promise<readonly Buffer[]>;
}

/** Asks one witness to cosign checkpoints: C2SP tlog-witness. */
export class WitnessClient {
  /** The size that the witness has cosigned last; the witness corrects it when it is wrong. */
  #size = 0;

  constructor(
    private readonly witness: Witness,
    private readonly timeoutMs = TIMEOUT_MS,
  ) {}

  get name(): string {
    return this.witness.key.name;
  }

  get key(): VerifierKey {
    return this.witness.key;
  }

  /**
   * @returns the signature lines of the witness
   * @throws WitnessError
   */
  async cosign(checkpoint: CheckpointToCosign): Promise<string> {
    const first = await this.#add(checkpoint);
    if (first.status === 409) this.#size = sizeIn(first.body, checkpoint.size);
    const { status, body } = first.status === 409 ? await this.#add(checkpoint) : first;
    if (status !== 200) throw new WitnessError(`${this.name} answered ${status}`);
    const lines = this.#verified(body, checkpoint);
    this.#size = checkpoint.size;
    return lines;
  }

  async #add({ note, consistency }: CheckpointToCosign): Promise<Answer> {
    const proof = this.#size === 0 ? [] : await consistency(this.#size);
    return this.#post(`old ${this.#size}\n${hashLines(proof)}\n${note}`);
  }

  async #post(body: string): Promise<Answer> {
    try {
      const response = await fetch(`${this.witness.url}/add-checkpoint`, {
        method: 'POST',
        headers: { 'content-type': 'text/plain; charset=utf-8' },
        body,
        redirect: 'error',
        signal: AbortSignal.timeout(this.timeoutMs),
      });
      const answer = response.body ?? [];
      const bytes = await boundedBytes(
        answer as AsyncIterable<Uint8Array>,
        ANSWER_BYTES_MAX,
        tooLong,
      );
      return { status: response.status, body: bytes.toString('utf8') };
    } catch (error) {
      if (error instanceof WitnessError) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new WitnessError(`${this.name} cannot be reached: ${reason}`, { cause: error });
    }
  }

  /** Only the lines of the known key are taken. */
  #verified(body: string, { note }: CheckpointToCosign): string {
    try {
      const { text } = parseNote(note);
      const signatures = parseSignatures(body);
      const [signer] = signersOf({ text, signatures }, [this.key]);
      if (!signer) throw new NoteError('its key has not signed');
      const lines = body.split('\n').filter((_, index) => {
        const signature = signatures[index];
        return signature?.name === this.key.name && signature.id === this.key.id;
      });
      return `${lines.join('\n')}\n`;
    } catch (error) {
      if (!(error instanceof NoteError)) throw error;
      throw new WitnessError(`${this.name} did not cosign: ${error.message}`, { cause: error });
    }
  }
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

const tooLong = (): WitnessError => new WitnessError('the answer is too long');

/** @throws WitnessError for a size that this log never had */
const sizeIn = (body: string, sizeMax: number): number => {
  const size = /^(0|[1-9]\d{0,15})\n$/.test(body) ? Number(body) : Number.NaN;
  if (size <= sizeMax) return size;
  throw new WitnessError(`the witness knows another log: it has seen ${body.slice(0, 20).trim()}`);
};
