import { type WebSocket } from 'ws';
import { decodeFrame, encodeFrame, type Frame, FrameError, FrameOrder } from './frame.js';

/** Frames that were sent and not yet handled have at most this many bytes, or are a single one. */
export const BYTES_IN_FLIGHT_MAX = 4 * 1_024 * 1_024;
/** A longer message ends its connection. */
export const FRAME_BYTES_MAX = 64 * 1_024 * 1_024;
/** An application's own close code: the other side has broken the protocol. */
const PROTOCOL_BROKEN = 4_400;

export type OutgoingFrame = Omit<Frame, 'sequence' | 'sentAtNs'>;

/** A frame with the time that it took to come; null where that would compare two clocks. */
export interface ReceivedFrame extends Frame {
  readonly transportNs: bigint | null;
}

/** The steady clock of this machine: one for all its processes. */
export const steadyNs = (): bigint => process.hrtime.bigint();

/**
 * Both directions of one WebSocket. Frames are handled one at a time, in order. Each is
 * acknowledged when its handler has finished; a sender waits while too many bytes are not.
 */
export class FrameLink {
  readonly #order = new FrameOrder();
  #sequence = 0;
  #inFlight = 0;
  #handled: Promise<void> = Promise.resolve();
  #wake: (() => void)[] = [];
  #failure: Error | null = null;

  /**
   * @param sharesClock whether both ends read one steady clock
   * @param handle may wait, which holds the sender back; must not throw
   */
  constructor(
    private readonly socket: WebSocket,
    private readonly sharesClock: boolean,
    private readonly handle: (frame: ReceivedFrame) => Promise<void> | void,
    private readonly bytesInFlightMax = BYTES_IN_FLIGHT_MAX,
  ) {
    socket.on('message', (data, isBinary) => {
      if (isBinary) this.#receive(data as Buffer);
    });
    socket.once('close', (code, reason) => this.#end(`closed with ${code} ${reason.toString()}`));
  }

  /** Bytes that the other side has not handled yet. */
  get bytesInFlight(): number {
    return this.#inFlight;
  }

  /** Resolves once the frame is on its way. @throws FrameError when the link has ended */
  async send(frame: OutgoingFrame): Promise<void> {
    for (;;) {
      if (this.#failure) throw this.#failure;
      if (this.#inFlight === 0 || this.#inFlight < this.bytesInFlightMax) break;
      await new Promise<void>((resolve) => this.#wake.push(resolve));
    }
    this.#inFlight += this.#write(frame);
  }

  #write(frame: OutgoingFrame): number {
    const sequence = this.#sequence;
    this.#sequence += 1;
    const bytes = encodeFrame({ ...frame, sequence, sentAtNs: steadyNs() });
    this.socket.send(bytes);
    return bytes.length;
  }

  #receive(bytes: Buffer): void {
    const now = steadyNs();
    try {
      const frame = decodeFrame(bytes);
      this.#order.demand(frame);
      if (frame.kind === 'acknowledgement') {
        this.#inFlight -= frame.count;
        this.#wakeAll();
        return;
      }
      const transportNs = this.sharesClock ? now - frame.sentAtNs : null;
      this.#handled = this.#handled.then(() => this.#take({ ...frame, transportNs }, bytes.length));
    } catch (error) {
      const reason = error instanceof FrameError ? error.message : 'a frame that cannot be read';
      this.#end(reason);
      this.socket.close(PROTOCOL_BROKEN, reason);
    }
  }

  async #take(frame: ReceivedFrame, bytes: number): Promise<void> {
    if (this.#failure) return;
    await this.handle(frame);
    // It may have ended meanwhile.
    if (this.socket.readyState !== this.socket.OPEN) return;
    this.#write({
      kind: 'acknowledgement',
      request: 0,
      position: 0,
      count: bytes,
      wantsLogits: false,
      payload: null,
    });
  }

  #end(reason: string): void {
    this.#failure ??= new FrameError(`the link has ended: ${reason}`);
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}
