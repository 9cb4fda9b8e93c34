import { ConvergenceError } from './convergence.errors.js';
import { type Ack, lengthItem, type Message, REFUSE_REASONS } from './tcpcl.messages.js';

/** The data of a segment, where the peer takes as much. */
const SEGMENT_BYTES_MAX = 65_536;

interface Transfer {
  readonly length: number;
  readonly done: PromiseWithResolvers<undefined>;
  sent: number;
  acknowledged: number;
  isOver: boolean;
}

/** The bundles that a session sends: one after the other, each acknowledged in its own time. */
export class OutgoingTransfers {
  readonly #open = new Map<number, Transfer>();
  #last = -1;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly peer: { readonly segmentMru: number; readonly transferMru: number },
    private readonly write: (message: Message) => Promise<void>,
  ) {}

  get isIdle(): boolean {
    return this.#open.size === 0;
  }

  /** @throws ConvergenceError */
  async send(bundle: Uint8Array): Promise<void> {
    if (bundle.length > this.peer.transferMru) {
      const detail = `${bundle.length} bytes, and the peer takes ${this.peer.transferMru}`;
      throw new ConvergenceError('too_large', detail);
    }
    const id = (this.#last += 1);
    const done = Promise.withResolvers<undefined>();
    const transfer: Transfer = {
      ...{ length: bundle.length, done, sent: 0, acknowledged: 0, isOver: false },
    };
    this.#open.set(id, transfer);
    // Segments of two transfers do not mix.
    const turn = this.#turn.then(() => this.#write(id, transfer, bundle));
    this.#turn = turn.catch(() => undefined);
    await Promise.all([turn, done.promise]);
  }

  /** @throws ConvergenceError for an acknowledgement of bytes that were not sent */
  acknowledge({ transfer: id, length, isEnd }: Ack): void {
    const transfer = this.#open.get(id);
    const isExpected =
      transfer !== undefined &&
      length >= transfer.acknowledged &&
      length <= transfer.sent &&
      (!isEnd || length === transfer.length);
    if (!isExpected) {
      throw new ConvergenceError('malformed', `transfer ${id} is acknowledged to byte ${length}`);
    }
    transfer.acknowledged = length;
    if (isEnd) this.#settle(id, transfer);
  }

  /** It may cross the last segment: for a settled transfer it says nothing. */
  refuse({ transfer: id, reason }: { readonly transfer: number; readonly reason: number }): void {
    const transfer = this.#open.get(id);
    if (!transfer) return;
    // The peer has the bundle already.
    if (reason === REFUSE_REASONS.completed) {
      this.#settle(id, transfer);
      return;
    }
    const detail = `the peer refuses the bundle (reason ${reason})`;
    this.#settle(id, transfer, new ConvergenceError('refused', detail, reason));
  }

  /** Nothing will be acknowledged any more. */
  fail(fault: ConvergenceError): void {
    for (const [id, transfer] of this.#open) this.#settle(id, transfer, fault);
  }

  #settle(id: number, transfer: Transfer, fault?: ConvergenceError): void {
    transfer.isOver = true;
    this.#open.delete(id);
    if (fault) transfer.done.reject(fault);
    else transfer.done.resolve(undefined);
  }

  async #write(id: number, transfer: Transfer, bundle: Uint8Array): Promise<void> {
    const size = Math.min(this.peer.segmentMru, SEGMENT_BYTES_MAX);
    const isOne = bundle.length <= size;
    do {
      if (transfer.isOver) return;
      const data = bundle.subarray(transfer.sent, transfer.sent + size);
      const isStart = transfer.sent === 0;
      transfer.sent += data.length;
      const isEnd = transfer.sent === bundle.length;
      // RFC 9174 forbids the length for a transfer of one segment.
      const items = isStart && !isOne ? [lengthItem(bundle.length)] : [];
      await this.write({ type: 'segment', isStart, isEnd, transfer: id, items, data });
    } while (transfer.sent < bundle.length);
  }
}
