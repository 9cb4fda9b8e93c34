import { randomUUID } from 'node:crypto';
import { type TextEnd } from '#areas/inference/rigs/embedded-rig.js';
import { type TaskSeal } from '#areas/inference/rigs/workers/task.seal.js';
import {
  type ReplyKind,
  replyPlace,
  type TaskFailure,
  type TextPage,
} from '#areas/inference/rigs/workers/worker.protocol.js';
import { type BusMessage } from '#platform/bus/bus.port.js';

export interface RunIdentity {
  readonly task: string;
  readonly attempt: number;
  readonly worker: string;
}

type Used = Omit<TextEnd, 'finishReason'>;

/** A model that speaks sooner says with its first words that it has started. */
const STARTED_MS = 15;

/**
 * What one run has to say, numbered without a gap. What comes while the last messages are on their
 * way is gathered into one page. First words and last ones are urgent; others wait a moment.
 */
export class RunReplies {
  #number = 0;
  readonly #ready: BusMessage[] = [];
  #pieces: [text: string, completionTokens: number][] = [];
  #promptTokens = 0;
  #quiet = false;
  #hasSpoken = false;
  #startedSoon: NodeJS.Timeout | undefined;

  /** @param wanted called when there is something to take */
  constructor(
    private readonly identity: RunIdentity,
    private readonly seal: TaskSeal,
    private readonly wanted: (isUrgent: boolean) => void,
  ) {}

  started(): void {
    this.#write('started', null);
    this.#startedSoon = setTimeout(() => this.wanted(true), STARTED_MS);
  }

  piece(text: string, { promptTokens, completionTokens }: Used): void {
    this.#pieces.push([text, completionTokens]);
    this.#promptTokens = promptTokens;
    this.wanted(!this.#hasSpoken);
    this.#hasSpoken = true;
  }

  done({ promptTokens, ...end }: TextEnd): void {
    this.#promptTokens = promptTokens;
    this.#writePage(end);
    this.wanted(true);
  }

  failed(failure: TaskFailure): void {
    if (this.#pieces.length > 0) this.#writePage(null);
    this.#write('failed', failure);
    this.wanted(true);
  }

  /** Called regularly; speaks when nothing else was said since the last time. */
  beat(): void {
    if (this.#quiet) {
      this.#write('beat', null);
      this.wanted(false);
    }
    this.#quiet = true;
  }

  /** Nobody listens any more. */
  forget(): void {
    clearTimeout(this.#startedSoon);
    this.#pieces = [];
    this.#ready.length = 0;
  }

  /** Everything that is ready to go, in order. */
  take(): readonly BusMessage[] {
    clearTimeout(this.#startedSoon);
    if (this.#pieces.length > 0) this.#writePage(null);
    return this.#ready.splice(0);
  }

  #writePage(end: TextPage['end']): void {
    const page: TextPage = { pieces: this.#pieces, promptTokens: this.#promptTokens, end };
    this.#pieces = [];
    this.#write('page', page);
  }

  #write(kind: ReplyKind, body: TextPage | TaskFailure | null): void {
    const { task, attempt, worker } = this.identity;
    const number = this.#number;
    this.#number += 1;
    this.#quiet = false;
    const place = replyPlace({ kind, task, attempt, worker, number });
    this.#ready.push({
      key: task,
      id: randomUUID(),
      headers: { kind, task, attempt: String(attempt), worker, number: String(number) },
      data: body && this.seal.seal(place, body),
    });
  }
}
