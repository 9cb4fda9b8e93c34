import { once } from 'node:events';
import { type Duplex } from 'node:stream';
import { ConvergenceError } from './convergence.errors.js';
import { asFault, establish, type Established, type SessionTerms } from './tcpcl.handshake.js';
import { IncomingTransfers, type Take } from './incoming-transfers.js';
import { OutgoingTransfers } from './outgoing-transfers.js';
import {
  encodeMessage,
  type Message,
  REJECTIONS,
  type SessionInit,
  TERMINATIONS,
} from './tcpcl.messages.js';
import { type MessageDecoder } from './tcpcl.decoder.js';

export interface SessionOptions extends SessionTerms {
  /** Takes a bundle; it is acknowledged when this resolves. */
  readonly take: Take;
}

export interface SessionPeer {
  /** As it says, or as its certificate's authority lets it; empty where it does not say. */
  readonly node: string;
  readonly segmentMru: number;
  readonly transferMru: number;
  readonly isSecure: boolean;
}

const MS_PER_SECOND = 1_000;
/** Answers that the peer has not read. */
const UNREAD_BYTES_MAX = 4_194_304;
/** For what is under way when a session is ended. */
const END_MS_MAX = 10_000;

/** One session of TCPCLv4 (RFC 9174) over a connection. Both peers send bundles. */
export class TcpclSession {
  readonly peer: SessionPeer;
  /** Resolves when the connection is closed; null after an orderly end. */
  readonly ended: Promise<ConvergenceError | null>;
  readonly #stream: Duplex;
  readonly #decoder: MessageDecoder;
  readonly #options: SessionOptions;
  readonly #keepaliveMs: number;
  readonly #over = new AbortController();
  readonly #incoming: IncomingTransfers;
  readonly #outgoing: OutgoingTransfers;
  /** Messages and chunks. */
  #sent = 0;
  #received = 0;
  /** Whether each peer has said that the session is to end. */
  #saysEnd = false;
  #hearsEnd = false;

  /** @throws ConvergenceError */
  static async open(connection: Duplex, options: SessionOptions): Promise<TcpclSession> {
    return new TcpclSession(await establish(connection, options), options);
  }

  private constructor({ stream, decoder, peer, isSecure }: Established, options: SessionOptions) {
    this.#stream = stream;
    this.#decoder = decoder;
    this.#options = options;
    this.peer = peerOf(peer, isSecure);
    const sec = Math.min(peer.keepaliveSec, options.keepaliveSec);
    this.#keepaliveMs = sec * MS_PER_SECOND;
    const write = (message: Message) => this.#write(message);
    const store = (bundle: Uint8Array) => options.take(bundle, this.peer.node);
    // Answers do not wait for the peer to read: two peers that both send would wait for ever.
    this.#incoming = new IncomingTransfers(options.transferMru, store, write);
    this.#outgoing = new OutgoingTransfers(this.peer, async (segment) => {
      this.#write(segment);
      await this.#drained();
    });
    this.ended = this.#run();
    void this.#keepAlive();
  }

  get isOpen(): boolean {
    return !this.#saysEnd && !this.#hearsEnd && !this.#over.signal.aborted;
  }

  /**
   * Sends a bundle. Several may be under way.
   * @returns when the peer has acknowledged the whole of it
   * @throws ConvergenceError `refused` with the reason, `closed`, `too_large`
   */
  async send(bundle: Uint8Array): Promise<void> {
    if (!this.isOpen) throw new ConvergenceError('closed', 'the session is ending');
    await this.#outgoing.send(bundle);
  }

  /** Ends the session after what is under way. */
  async end(reason: number = TERMINATIONS.unknown): Promise<void> {
    if (this.#over.signal.aborted) return;
    if (!this.#saysEnd) {
      this.#saysEnd = true;
      this.#tell({ type: 'term', isReply: false, reason });
    }
    const late = this.#options.timers.wait(END_MS_MAX, this.#over.signal);
    await Promise.race([this.ended, late.then(() => this.#stream.destroy())]);
    await this.ended;
  }

  async #run(): Promise<ConvergenceError | null> {
    let fault: ConvergenceError | null = null;
    try {
      await this.#read();
      if (!this.#saysEnd && !this.#hearsEnd) fault = closed();
    } catch (error) {
      fault = asFault(error);
    }
    this.#over.abort();
    this.#outgoing.fail(fault ?? closed());
    this.#stream.destroy();
    return fault;
  }

  async #read(): Promise<void> {
    await this.#readKnown();
    for await (const chunk of this.#stream.iterator({ destroyOnReturn: false })) {
      this.#received += 1;
      this.#decoder.push(chunk as Buffer);
      await this.#readKnown();
      if (this.#isDone()) break;
    }
    await this.#incoming.settled();
    // The last answers reach the peer before the connection is closed.
    await Promise.race([
      new Promise<void>((resolve) => this.#stream.end(resolve)),
      this.#options.timers.wait(END_MS_MAX, this.#over.signal),
    ]);
  }

  async #readKnown(): Promise<void> {
    for (;;) {
      const message = this.#next();
      if (!message) return;
      await this.#handle(message);
    }
  }

  #next(): Message | null {
    try {
      return this.#decoder.next();
    } catch (error) {
      const fault = asFault(error);
      this.#tell({ type: 'reject', reason: fault.reason, header: this.#decoder.header });
      throw fault;
    }
  }

  async #handle(message: Message): Promise<void> {
    switch (message.type) {
      case 'segment':
        return this.#incoming.take(message, this.#hearsEnd || this.#saysEnd);
      case 'ack': {
        this.#outgoing.acknowledge(message);
        return;
      }
      case 'refuse': {
        this.#outgoing.refuse(message);
        return;
      }
      case 'keepalive':
        return;
      case 'term': {
        this.#onTerm(message.isReply, message.reason);
        return;
      }
      case 'reject': {
        const detail = `the peer rejects message ${message.header} (reason ${message.reason})`;
        throw new ConvergenceError('malformed', detail, message.reason);
      }
      case 'init':
        this.#tell({
          ...{ type: 'reject', reason: REJECTIONS.unexpected },
          header: this.#decoder.header,
        });
        throw new ConvergenceError('malformed', 'a second initiation of the session');
    }
  }

  #onTerm(isReply: boolean, reason: number): void {
    this.#hearsEnd = true;
    if (isReply || this.#saysEnd) return;
    this.#saysEnd = true;
    this.#write({ type: 'term', isReply: true, reason });
  }

  /** Both have said so, and nothing is under way. */
  #isDone(): boolean {
    return this.#saysEnd && this.#hearsEnd && this.#incoming.isIdle && this.#outgoing.isIdle;
  }

  /** @throws ConvergenceError `closed`, `too_large` */
  #write(message: Message): void {
    if (this.#stream.destroyed || this.#stream.writableEnded) throw closed();
    if (this.#stream.writableLength > UNREAD_BYTES_MAX) {
      const reason = TERMINATIONS.exhausted;
      throw new ConvergenceError('too_large', 'the peer reads no answers', reason);
    }
    this.#sent += 1;
    this.#stream.write(encodeMessage(message));
  }

  /** As before, where it is no loss if the message cannot be sent. */
  #tell(message: Message): void {
    try {
      this.#write(message);
    } catch {
      // The connection is closed or full: there is nothing to tell.
    }
  }

  /** Resolves when the connection takes more. @throws ConvergenceError `closed` */
  async #drained(): Promise<void> {
    if (!this.#stream.writableNeedDrain) return;
    const stop = new AbortController();
    const { signal } = stop;
    const drain = once(this.#stream, 'drain', { signal });
    const close = once(this.#stream, 'close', { signal });
    await Promise.race([drain, close]).catch(() => undefined);
    stop.abort();
    if (this.#stream.destroyed) throw closed();
  }

  /** A peer that has been silent for two intervals is gone. */
  async #keepAlive(): Promise<void> {
    const { signal } = this.#over;
    const isOver = (): boolean => signal.aborted;
    let silent = 0;
    while (this.#keepaliveMs > 0 && silent < 2) {
      const [sent, received] = [this.#sent, this.#received];
      await this.#options.timers.wait(this.#keepaliveMs, signal);
      if (isOver()) return;
      silent = this.#received > received ? 0 : silent + 1;
      if (silent < 2 && this.#sent === sent) this.#tell({ type: 'keepalive' });
    }
    if (silent === 0) return;
    this.#tell({ type: 'term', isReply: false, reason: TERMINATIONS.idle });
    this.#stream.destroy(new ConvergenceError('timed_out', 'the peer is silent'));
  }
}

const peerOf = (
  { node, segmentMru, transferMru }: SessionInit,
  isSecure: boolean,
): SessionPeer => ({
  ...{ node, segmentMru, transferMru, isSecure },
});

const closed = (): ConvergenceError => new ConvergenceError('closed', 'the connection was closed');
