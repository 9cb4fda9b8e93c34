import { type handleBidiStreamingCall, type ServerDuplexStream } from '@grpc/grpc-js';
import { AppendInProgress } from './append-in-progress.js';
import {
  type BatchAddress,
  type BatchAppendRequest,
  decodeBatchAppendRequest,
  encodeBatchAppended,
  encodeBatchFailure,
} from './append.messages.js';
import { MalformedMessageError, MessageReader } from './protobuf.reader.js';
import { timedOut } from './call-errors.js';
import { type ServedLog, unavailable } from './served-log.js';

/** Appends of one call that have no answer yet; then it reads no further. */
export const PENDING_APPENDS_MAX = 1_024;
const PENDING_BYTES_MAX = 32 * 1_048_576;

/** Appends of one call that wait for their last part; more are rejected. */
export const UNFINISHED_APPENDS_MAX = 64;

/** How late the answer to an append that misses its deadline may be. */
const DEADLINE_CHECK_MS = 50;

/** Streams.BatchAppend: one long call, many appends, each answered as it lands. */
export const batchAppendCall =
  (log: ServedLog): handleBidiStreamingCall<Buffer, Buffer> =>
  (call) =>
    new BatchAppendCall(log, call).start();

interface Ticket extends BatchAddress {
  readonly append: AppendInProgress;
  /** Milliseconds since the Unix epoch. */
  readonly deadlineAt: number;
}

class BatchAppendCall {
  readonly #log: ServedLog;
  readonly #call: ServerDuplexStream<Buffer, Buffer>;
  /** By correlation id. */
  readonly #unfinished = new Map<string, Ticket>();
  readonly #pending = new Set<Ticket>();
  #pendingBytes = 0;
  #finished = false;
  #over = false;
  #deadlines: NodeJS.Timeout | null = null;

  constructor(log: ServedLog, call: ServerDuplexStream<Buffer, Buffer>) {
    this.#log = log;
    this.#call = call;
  }

  start(): void {
    this.#log.closing.addEventListener('abort', this.#finish);
    this.#call.on('cancelled', () => this.#end());
    this.#call.on('drain', () => this.#readOn());
    this.#call.on('end', this.#finish);
    this.#call.on('data', (message: Buffer) => this.#receive(message));
    if (this.#log.closing.aborted) this.#finish();
  }

  #receive(message: Buffer): void {
    if (this.#over || this.#log.closing.aborted) return;
    try {
      const now = Date.now();
      const request = decodeBatchAppendRequest(new MessageReader(message), now);
      const ticket = this.#ticketFor(request, now);
      if (ticket !== null) this.#take(ticket, request);
    } catch (error) {
      this.#endWith(error);
    }
  }

  /** The append that a part belongs to, or null when it has ended. */
  #ticketFor({ correlationId, options }: BatchAppendRequest, now: number): Ticket | null {
    const begun = this.#unfinished.get(correlationId.toString('latin1'));
    if (begun !== undefined || options === null) return begun ?? null;
    const { stream, deadlineAt } = options;
    if (deadlineAt <= now) {
      this.#send(encodeBatchFailure({ correlationId, stream }, timedOut('the deadline is over')));
      return null;
    }
    return { correlationId, stream, append: new AppendInProgress(options), deadlineAt };
  }

  #take(ticket: Ticket, { events, isFinal }: BatchAppendRequest): void {
    const key = ticket.correlationId.toString('latin1');
    try {
      for (const event of events) ticket.append.add(event);
      if (isFinal) {
        this.#unfinished.delete(key);
        this.#submit(ticket);
      } else this.#keep(key, ticket);
    } catch (error) {
      this.#unfinished.delete(key);
      this.#send(encodeBatchFailure(ticket, this.#log.batchFailureOf(error)));
    }
  }

  #keep(key: string, ticket: Ticket): void {
    this.#unfinished.set(key, ticket);
    if (this.#unfinished.size > UNFINISHED_APPENDS_MAX) {
      throw new MalformedMessageError(
        `more than ${UNFINISHED_APPENDS_MAX} appends are waiting for their last part`,
      );
    }
    this.#watchDeadlines();
  }

  #submit(ticket: Ticket): void {
    this.#pending.add(ticket);
    this.#pendingBytes += ticket.append.bytes;
    this.#watchDeadlines();
    void this.#land(ticket);
    if (this.#full) this.#call.pause();
  }

  async #land(ticket: Ticket): Promise<void> {
    try {
      const result = await this.#log.landing(ticket.append.appendTo(this.#log.eventStore));
      this.#settle(ticket, () => encodeBatchAppended(ticket, result));
    } catch (error) {
      this.#settle(ticket, () => encodeBatchFailure(ticket, this.#log.batchFailureOf(error)));
    }
  }

  /** Answers once: an append that missed its deadline may complete later. */
  #settle(ticket: Ticket, encode: () => Buffer): void {
    if (!this.#pending.delete(ticket)) return;
    this.#pendingBytes -= ticket.append.bytes;
    try {
      this.#send(encode());
    } catch (error) {
      this.#endWith(error);
    }
    this.#readOn();
    this.#endWhenDone();
  }

  get #full(): boolean {
    return (
      this.#pending.size + this.#call.writableLength >= PENDING_APPENDS_MAX ||
      this.#pendingBytes >= PENDING_BYTES_MAX
    );
  }

  #readOn(): void {
    if (this.#call.isPaused() && !this.#full && !this.#finished) this.#call.resume();
  }

  #watchDeadlines(): void {
    this.#deadlines ??= setInterval(() => this.#checkDeadlines(), DEADLINE_CHECK_MS);
  }

  #checkDeadlines(): void {
    const now = Date.now();
    for (const ticket of this.#pending) {
      if (ticket.deadlineAt > now) continue;
      this.#settle(ticket, () => encodeBatchFailure(ticket, timedOut('not durable in time')));
    }
    for (const [key, ticket] of this.#unfinished) {
      if (ticket.deadlineAt > now) continue;
      this.#unfinished.delete(key);
      this.#send(encodeBatchFailure(ticket, timedOut('its last part did not come in time')));
    }
    if (this.#pending.size === 0 && this.#unfinished.size === 0) this.#forgetDeadlines();
  }

  #forgetDeadlines(): void {
    if (this.#deadlines !== null) clearInterval(this.#deadlines);
    this.#deadlines = null;
  }

  #send(message: Buffer): void {
    if (!this.#over) this.#call.write(message);
  }

  /** Accepts no further request; accepted requests are answered first. */
  readonly #finish = (): void => {
    this.#finished = true;
    this.#endWhenDone();
  };

  #endWhenDone(): void {
    if (!this.#finished || this.#over || this.#pending.size > 0) return;
    if (this.#log.closing.aborted) this.#endWith(unavailable());
    else {
      this.#end();
      this.#call.end();
    }
  }

  #endWith(error: unknown): void {
    if (this.#over) return;
    this.#end();
    this.#call.emit('error', this.#log.callErrorOf(error));
  }

  #end(): void {
    this.#over = true;
    this.#unfinished.clear();
    this.#forgetDeadlines();
    this.#log.closing.removeEventListener('abort', this.#finish);
  }
}
