import { connect, type Socket } from 'node:net';
import { AnswerReader } from './answer-reader.js';

/** One kept-alive connection with at most one request under way; it reconnects when it must. */
export class LoadConnection {
  #socket: Socket | undefined;
  #reader = new AnswerReader();
  #pending: ((defect: string | undefined) => void) | undefined;
  #receivedAtMs: number | undefined;
  #pauseMsMax = 0;

  constructor(
    private readonly port: number,
    private readonly streaming: boolean,
  ) {}

  /** The longest time between two segments of the last answer. */
  get pauseMsMax(): number {
    return this.#pauseMsMax;
  }

  /** `answered` gets what was wrong with the answer, or undefined. */
  send(request: Buffer, answered: (defect: string | undefined) => void): void {
    this.#pending = answered;
    this.#reader = new AnswerReader();
    this.#receivedAtMs = undefined;
    this.#pauseMsMax = 0;
    this.#socket ??= this.#open();
    this.#socket.write(request);
  }

  close(): void {
    this.#socket?.destroy();
    this.#settle('no answer in time');
  }

  #open(): Socket {
    const socket = connect({ port: this.port, host: '127.0.0.1', noDelay: true });
    socket.on('data', (segment: Buffer) => this.#receive(segment));
    socket.on('error', (error) => this.#lose(socket, error.message));
    socket.on('close', () => this.#lose(socket, 'connection closed before the answer ended'));
    return socket;
  }

  #receive(segment: Buffer): void {
    const nowMs = performance.now();
    this.#pauseMsMax = Math.max(this.#pauseMsMax, nowMs - (this.#receivedAtMs ?? nowMs));
    this.#receivedAtMs = nowMs;
    try {
      if (this.#reader.push(segment)) this.#settle(this.#reader.defect(this.streaming));
    } catch (error) {
      this.#socket?.destroy();
      this.#socket = undefined;
      this.#settle(String(error));
    }
  }

  #lose(socket: Socket, reason: string): void {
    if (socket !== this.#socket) return;
    this.#socket = undefined;
    this.#settle(reason);
  }

  #settle(defect: string | undefined): void {
    const answered = this.#pending;
    this.#pending = undefined;
    answered?.(defect);
  }
}
