import { randomUUID } from 'node:crypto';
import { type BusMessage } from '#platform/bus/bus.port.js';
import { TaskError } from '#platform/tasks/task.error.js';
import { type TaskSeal } from '#platform/tasks/task.seal.js';
import { type ReplyKind, replyPlace, type TaskFailure } from '#platform/tasks/task.protocol.js';

export interface RunIdentity {
  readonly engine: string;
  readonly task: string;
  readonly attempt: number;
  readonly worker: string;
}

/** The first piece of a fast engine shares a message with `started`. */
const STARTED_MS = 15;

/**
 * The limit for the JSON of a page before encryption. Base64 adds a third, and the bus accepts
 * 1,000,000 bytes of key, headers and data.
 */
const PAGE_BYTES_MAX = 700_000;

/**
 * The replies of one run, numbered without a gap. Pieces that arrive during a publish share one
 * page. The first piece and the end are urgent; others wait.
 */
export class RunReplies {
  #number = 0;
  readonly #ready: BusMessage[] = [];
  /** The pieces as JSON. */
  #pieces: string[] = [];
  #pieceBytes = 0;
  #quiet = false;
  #hasPieces = false;
  #startedSoon: NodeJS.Timeout | undefined;

  /** @param wanted called when there are replies to take */
  constructor(
    private readonly identity: RunIdentity,
    private readonly seal: TaskSeal,
    private readonly wanted: (isUrgent: boolean) => void,
  ) {}

  started(): void {
    this.#write('started', null);
    this.#startedSoon = setTimeout(() => this.wanted(true), STARTED_MS);
  }

  /** @throws TaskError `failed` for a piece that is too large for a message */
  piece(piece: unknown): void {
    const json = jsonOf(piece);
    const bytes = Buffer.byteLength(json) + 1;
    const isFull = this.#pieces.length > 0 && this.#pieceBytes + bytes > PAGE_BYTES_MAX;
    if (isFull) this.#writePage();
    this.#pieces.push(json);
    this.#pieceBytes += bytes;
    this.wanted(!this.#hasPieces);
    this.#hasPieces = true;
  }

  /** @throws TaskError `failed` for an end that is too large for a message */
  done(end: unknown): void {
    const json = jsonOf(end);
    if (this.#pieceBytes + Buffer.byteLength(json) > PAGE_BYTES_MAX) this.#writePage();
    this.#writePage(json);
    this.wanted(true);
  }

  failed(failure: TaskFailure): void {
    if (this.#pieces.length > 0) this.#writePage();
    this.#write('failed', JSON.stringify(failure));
    this.wanted(true);
  }

  /** Called regularly. Adds a beat if no reply was added since the last call. */
  beat(): void {
    if (this.#quiet) {
      this.#write('beat', null);
      this.wanted(false);
    }
    this.#quiet = true;
  }

  /** Drops all replies, since no process reads them. */
  forget(): void {
    clearTimeout(this.#startedSoon);
    this.#pieces = [];
    this.#ready.length = 0;
  }

  /** The replies that are ready, in order. */
  take(): readonly BusMessage[] {
    clearTimeout(this.#startedSoon);
    if (this.#pieces.length > 0) this.#writePage();
    return this.#ready.splice(0);
  }

  /** @param end JSON, of the last page only */
  #writePage(end?: string): void {
    const last = end === undefined ? '' : `,"end":${end}`;
    const json = `{"pieces":[${this.#pieces.join(',')}]${last}}`;
    this.#pieces = [];
    this.#pieceBytes = 0;
    this.#write('page', json);
  }

  #write(kind: ReplyKind, json: string | null): void {
    const { engine, task, attempt, worker } = this.identity;
    const number = this.#number;
    this.#number += 1;
    this.#quiet = false;
    const place = replyPlace(engine, { kind, task, attempt, worker, number });
    this.#ready.push({
      key: task,
      id: randomUUID(),
      headers: { kind, task, attempt: String(attempt), worker, number: String(number) },
      data: json === null ? null : this.seal.seal(place, json),
    });
  }
}

const jsonOf = (value: unknown): string => {
  const json = JSON.stringify(value);
  const bytes = Buffer.byteLength(json);
  if (bytes <= PAGE_BYTES_MAX) return json;
  const limit = `${PAGE_BYTES_MAX} fit into a message`;
  throw new TaskError('failed', `the engine answered with ${bytes} bytes at once, and ${limit}`);
};
