import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { type Clock, systemClock } from '#platform/kernel/clock.js';
import { AnswerStoreError } from '../answer-store.errors.js';
import {
  type Admission,
  ANSWER_BYTES_MAX,
  ANSWER_KEPT_MS,
  type AnswerStore,
  type FinishOutcome,
  type IdempotentRequest,
  isIdempotencyKey,
  LEASE_MS,
  type SettleAttempt,
  type StoredAnswer,
} from '../answer-store.port.js';
import { AnswerSeal, type RequestIdentity } from '../answer.seal.js';
import { type AdmissionReply, type AnswersRequest } from './answers.protocol.js';
import { AnswersThread } from './answers.thread.js';
import { OwnerPresence } from './owner-presence.js';

const BUSY_TIMEOUT_MS = 5_000;

export interface SqliteAnswerStoreOptions {
  /** A path; the file and its folders are made. Several processes of one machine may open it. */
  readonly file: string;
  /** 32 bytes, the same for every process that opens the file. Under another one it is empty. */
  readonly encryptionKey: Uint8Array;
  readonly clock?: Clock;
  readonly leaseMs?: number;
}

/** @throws AnswerStoreError `store-unavailable` or `store-unreadable` */
export const openSqliteAnswerStore = async ({
  file,
  encryptionKey,
  clock = systemClock,
  leaseMs = LEASE_MS,
}: SqliteAnswerStoreOptions): Promise<AnswerStore> => {
  const seal = new AnswerSeal(encryptionKey);
  await mkdir(path.dirname(file), { recursive: true });
  const thread = await AnswersThread.start({ file, busyTimeoutMs: BUSY_TIMEOUT_MS });
  try {
    const presence = OwnerPresence.claim(`${file}.owners`);
    return new SqliteAnswerStore(seal, thread, presence, clock, leaseMs);
  } catch (cause) {
    await thread.close();
    throw new AnswerStoreError('store-unavailable', `${file}.owners cannot be used`, { cause });
  }
};

class SqliteAnswerStore implements AnswerStore {
  #closing: Promise<void> | null = null;

  constructor(
    private readonly seal: AnswerSeal,
    private readonly thread: AnswersThread,
    private readonly presence: OwnerPresence,
    private readonly clock: Clock,
    private readonly leaseMs: number,
  ) {}

  async admit(request: IdempotentRequest, settle: SettleAttempt): Promise<Admission> {
    if (!isIdempotencyKey(request.key)) {
      throw new AnswerStoreError('invalid-key', 'not 1 to 255 printable ASCII characters');
    }
    const identity = this.seal.identify(request);
    const { attempt } = request;
    let reply = await this.#ask(identity, attempt, null);
    // Again, when somebody else was first to settle what was left, and has left it, too.
    while (reply.kind === 'running' && this.#isLeft(reply)) {
      const startedAtMs = reply.expiresAtMs - ANSWER_KEPT_MS;
      const end = await settle({ attempt: reply.attempt, startedAtMs });
      reply = await this.#ask(identity, attempt, { attempt: reply.attempt, end });
    }
    if (reply.kind === 'started') return this.#started(identity, attempt);
    if (reply.kind === 'kept') {
      return { outcome: 'replay', answer: this.seal.open(identity, reply.sealed) };
    }
    return { outcome: reply.kind };
  }

  async sweep(): Promise<number> {
    const { rows } = await this.thread.request({ kind: 'sweep', nowMs: this.#nowMs() });
    return rows;
  }

  close(): Promise<void> {
    this.#closing ??= this.thread.close().finally(() => this.presence.release());
    return this.#closing;
  }

  #ask(
    identity: RequestIdentity,
    attempt: string,
    settled: (AnswersRequest & { readonly kind: 'admit' })['settled'],
  ): Promise<AdmissionReply> {
    const nowMs = this.#nowMs();
    return this.thread.request({
      kind: 'admit',
      ...identity,
      owner: this.presence.id,
      attempt,
      nowMs,
      leaseEndsAtMs: nowMs + this.leaseMs,
      expiresAtMs: nowMs + ANSWER_KEPT_MS,
      settled,
    });
  }

  #isLeft({ owner, leaseEndsAtMs }: AdmissionReply & { readonly kind: 'running' }): boolean {
    if (leaseEndsAtMs <= this.#nowMs()) return true;
    return owner !== this.presence.id && this.presence.isGone(owner);
  }

  #started(identity: RequestIdentity, attempt: string): Admission {
    const { keyHash } = identity;
    const end = async (kind: 'abandon' | 'leave'): Promise<void> => {
      await this.thread.request({ kind, keyHash, attempt });
    };
    return {
      outcome: 'started',
      finish: (answer) => this.#finish(identity, attempt, answer),
      abandon: () => end('abandon'),
      leave: () => end('leave'),
    };
  }

  async #finish(
    identity: RequestIdentity,
    attempt: string,
    answer: StoredAnswer | 'too-large',
  ): Promise<FinishOutcome> {
    const fits = answer !== 'too-large' && answer.body.byteLength <= ANSWER_BYTES_MAX;
    const { keyHash } = identity;
    const { rows } = await this.thread.request({
      kind: 'finish',
      keyHash,
      attempt,
      sealed: fits ? this.seal.seal(identity, answer) : null,
      expiresAtMs: this.#nowMs() + ANSWER_KEPT_MS,
    });
    if (rows === 0) return 'superseded';
    return fits ? 'kept' : 'too-large';
  }

  #nowMs(): number {
    return Math.trunc(this.clock.now());
  }
}
