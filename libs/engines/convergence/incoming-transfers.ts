import { ConvergenceError } from './convergence.errors.js';
import {
  type Message,
  REFUSE_REASONS,
  REJECTIONS,
  type Segment,
  TRANSFER_LENGTH,
  TYPES,
} from './tcpcl.messages.js';

/**
 * Takes a bundle from a peer. It resolves when the bundle is safe, with null, or with the
 * reason why this node refuses it (`REFUSE_REASONS`).
 */
export type Take = (bundle: Uint8Array, peer: string) => Promise<number | null>;

/** Bundles of a session that are being stored; further segments wait. */
const STORING_MAX = 32;
/** Answers that wait for a bundle before them. */
const ANSWERS_MAX = 1_000;

interface Transfer {
  readonly id: number;
  readonly announced: number | null;
  readonly parts: Uint8Array[];
  length: number;
}

/** The bundles that a session receives. Answers go out in the order of the transfers. */
export class IncomingTransfers {
  #current: Transfer | null = null;
  /** Segments of a refused transfer are read and dropped. */
  #refused: number | null = null;
  #last = -1;
  #answers: Promise<unknown> = Promise.resolve();
  #storing = 0;
  #waiting = 0;

  constructor(
    private readonly transferMru: number,
    private readonly store: (bundle: Uint8Array) => Promise<number | null>,
    private readonly write: (message: Message) => void,
  ) {}

  /** Whether no transfer is half received. */
  get isIdle(): boolean {
    return this.#current === null;
  }

  /** Resolves when all answers are sent. */
  async settled(): Promise<void> {
    await this.#answers;
  }

  /** @param isEnding no new transfer begins. @throws ConvergenceError */
  async take(segment: Segment, isEnding: boolean): Promise<void> {
    if (segment.isStart) return this.#start(segment, isEnding);
    if (segment.transfer === this.#refused) {
      if (segment.isEnd) this.#refused = null;
      return;
    }
    if (this.#current?.id !== segment.transfer) return this.#unexpected(segment);
    await this.#add(this.#current, segment);
  }

  async #start(segment: Segment, isEnding: boolean): Promise<void> {
    const { transfer: id, items } = segment;
    // The segments of a refused transfer may end early.
    this.#refused = null;
    if (this.#current || id <= this.#last) return this.#unexpected(segment);
    this.#last = id;
    const unknown = items.some(({ isCritical, type }) => isCritical && type !== TRANSFER_LENGTH);
    const lengths = items.filter(({ type }) => type === TRANSFER_LENGTH);
    if (unknown || lengths.some(({ value }) => value.length !== 8)) {
      this.#refuse(segment, REFUSE_REASONS.extensionFailure);
      return;
    }
    if (isEnding) {
      this.#refuse(segment, REFUSE_REASONS.terminating);
      return;
    }
    if (lengths.length > 1) {
      this.#refuse(segment, REFUSE_REASONS.notAcceptable);
      return;
    }
    const [item] = lengths;
    const announced = item ? lengthOf(item.value) : null;
    if (announced !== null && announced > this.transferMru) {
      this.#refuse(segment, REFUSE_REASONS.noResources);
      return;
    }
    this.#current = { id, announced, parts: [], length: 0 };
    await this.#add(this.#current, segment);
  }

  async #add(transfer: Transfer, segment: Segment): Promise<void> {
    const { data, isStart, isEnd } = segment;
    transfer.length += data.length;
    const { id, announced, length } = transfer;
    if (length > this.transferMru) {
      this.#refuse(segment, REFUSE_REASONS.noResources);
      return;
    }
    const isWrong = announced !== null && (length > announced || (isEnd && length < announced));
    if (isWrong) {
      this.#refuse(segment, REFUSE_REASONS.notAcceptable);
      return;
    }
    // A copy: the decoder reads into the bytes of a chunk, which may be large.
    transfer.parts.push(Uint8Array.from(data));
    if (isEnd) return this.#end(transfer, segment);
    this.#answer(() => ({ type: 'ack', isStart, isEnd, transfer: id, length }));
    if (this.#waiting >= ANSWERS_MAX) await this.#answers;
  }

  async #end({ id, parts, length }: Transfer, { isStart }: Segment): Promise<void> {
    this.#current = null;
    this.#storing += 1;
    const bundle = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
    const stored = this.store(bundle).catch(() => REFUSE_REASONS.retransmit);
    this.#answer(async () => {
      const reason = await stored;
      this.#storing -= 1;
      return reason === null
        ? { type: 'ack', isStart, isEnd: true, transfer: id, length }
        : { type: 'refuse', reason, transfer: id };
    });
    if (this.#storing >= STORING_MAX) await this.#answers;
  }

  #refuse({ transfer, isEnd }: Segment, reason: number): void {
    this.#current = null;
    this.#refused = isEnd ? null : transfer;
    this.#answer(() => ({ type: 'refuse', reason, transfer }));
  }

  /** In order, as RFC 9174 wants. */
  #answer(message: () => Message | Promise<Message>): void {
    this.#waiting += 1;
    this.#answers = this.#answers
      .then(async () => {
        this.#waiting -= 1;
        this.write(await message());
      })
      // The session ends by the failed connection itself.
      .catch(() => undefined);
  }

  #unexpected({ transfer }: Segment): never {
    const header = TYPES.segment;
    this.write({ type: 'reject', reason: REJECTIONS.unexpected, header });
    throw new ConvergenceError('malformed', `an unexpected segment of transfer ${transfer}`);
  }
}

const lengthOf = (value: Uint8Array): number =>
  Number(Buffer.from(value.buffer, value.byteOffset, value.byteLength).readBigUInt64BE());
