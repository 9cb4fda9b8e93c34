import { randomUUID } from 'node:crypto';
import { type Clock } from '#platform/kernel/clock.js';
import { type AnsweredLog, NO_LOG } from './answered-log.port.js';
import {
  type Admission,
  ANSWER_TIMES,
  type AnswerStore,
  type AnswerTimes,
  type IdempotentRequest,
  type SettleAttempt,
  type StartedRequest,
  type StoredAnswer,
} from './answer-store.port.js';

/** One store, with as many handles as a test opens. */
export interface AnswerStoreUnderTest {
  /** Another handle on the same answers, as another process would have. */
  open(clock: Clock, times: AnswerTimes, log: AnsweredLog): Promise<AnswerStore>;
  /** Deletes the answers; the handles are closed by then. */
  remove(): Promise<void>;
}

/** Attempts lapse by the clock of the test; only the test renews them. */
export const TIMES: AnswerTimes = { ...ANSWER_TIMES, heartbeatMs: 600_000 };
export const LEASE_MS = TIMES.leaseMs;

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

export const request: Omit<IdempotentRequest, 'attempt'> = {
  scope: 'user-7',
  key: 'order 66',
  body: bytes('{"model":"nano","messages":[{"role":"user","content":"é 漢字"}]}'),
};

export const notLeft: SettleAttempt = ({ attempt }) => {
  throw new Error(`${attempt} was not left`);
};
export const free: SettleAttempt = () => Promise.resolve('free');

export const streamed: StoredAnswer = {
  status: 200,
  headers: { 'content-type': 'text/event-stream', 'x-request-id': 'r-1' },
  body: bytes('data: {"choices":[]}\n\ndata: [DONE]\n\n'),
};

/** Stores that share their answers, and a clock that tests move. */
export class AnswerStage {
  nowMs = 1_800_000_000_000;
  readonly #underTest: AnswerStoreUnderTest;
  readonly #handles: AnswerStore[] = [];
  #first: AnswerStore | undefined;

  constructor(underTest: AnswerStoreUnderTest) {
    this.#underTest = underTest;
  }

  /** The first handle. */
  get store(): AnswerStore {
    if (!this.#first) throw new Error('no store was opened');
    return this.#first;
  }

  readonly open = async (
    times = TIMES,
    clock: Clock = { now: () => this.nowMs },
    log: AnsweredLog = NO_LOG,
  ): Promise<AnswerStore> => {
    const handle = await this.#underTest.open(clock, times, log);
    this.#handles.push(handle);
    this.#first ??= handle;
    return handle;
  };

  /** A new attempt, as every request is one. */
  readonly admit = (
    asked = request,
    handle = this.store,
    settle = notLeft,
    attempt: string = randomUUID(),
  ): Promise<Admission> => handle.admit({ ...asked, attempt }, settle);

  readonly start = async (...asked: Parameters<AnswerStage['admit']>): Promise<StartedRequest> => {
    const admission = await this.admit(...asked);
    if (admission.outcome !== 'started') throw new Error(`it was ${admission.outcome}`);
    return admission;
  };

  readonly outcome = async (...asked: Parameters<AnswerStage['admit']>): Promise<string> =>
    (await this.admit(...asked)).outcome;

  async close(): Promise<void> {
    await Promise.all(this.#handles.map((handle) => handle.close()));
    await this.#underTest.remove();
  }
}
