import path from 'node:path';
import { createFolder } from '#platform/files/create-folder.js';
import { type Clock, systemClock } from '#platform/kernel/clock.js';
import {
  type AnswerEntries,
  type RequestAttemptRef,
  type FoundEntry,
  type NewEntry,
  type SeenAttempt,
  type SeenEntry,
} from '../answer-entries.port.js';
import { type AnsweredLog, NO_LOG } from '../answered-log.port.js';
import { AnswerStoreError } from '../answer-store.errors.js';
import { ANSWER_TIMES, type AnswerStore, type AnswerTimes } from '../answer-store.port.js';
import { DurableAnswerStore } from '../durable-answer-store.js';
import { type AnswerRow, type SeenAttemptRow } from './answers.protocol.js';
import { AnswersThread } from './answers.thread.js';
import { OwnerPresence } from './owner-presence.js';

const BUSY_TIMEOUT_MS = 5_000;

export interface SqliteAnswerStoreOptions {
  /** A path; the file and its folders are made. Several processes of one machine may open it. */
  readonly file: string;
  /** 32 bytes, the same for every process that opens the file. Under another one it is empty. */
  readonly encryptionKey: Uint8Array;
  readonly clock?: Clock;
  readonly times?: AnswerTimes;
  /** Default: answers rest on no log. */
  readonly log?: AnsweredLog;
}

/** @throws AnswerStoreError `store-unavailable` or `store-unreadable` */
export const openSqliteAnswerStore = async ({
  file,
  encryptionKey,
  clock = systemClock,
  times = ANSWER_TIMES,
  log = NO_LOG,
}: SqliteAnswerStoreOptions): Promise<AnswerStore> => {
  await createFolder(path.dirname(file));
  const thread = await AnswersThread.start({ file, busyTimeoutMs: BUSY_TIMEOUT_MS });
  try {
    const presence = OwnerPresence.claim(`${file}.owners`);
    const entries = new SqliteAnswerEntries(thread, presence);
    return new DurableAnswerStore({ entries, encryptionKey, clock, times, log });
  } catch (cause) {
    await thread.close();
    throw new AnswerStoreError('store-unavailable', `${file}.owners cannot be used`, { cause });
  }
};

const seenRow = ({
  keyHash,
  attempt,
  leaseEndsAtMs,
  expiresAtMs,
}: SeenAttempt): SeenAttemptRow => ({ keyHash, attempt, leaseEndsAtMs, expiresAtMs });

/** The entries in the thread of the file; a process that is gone shows by its lock. */
class SqliteAnswerEntries implements AnswerEntries {
  constructor(
    private readonly thread: AnswersThread,
    private readonly presence: OwnerPresence,
  ) {}

  async start(
    entry: NewEntry,
    instead: SeenEntry | null,
    nowMs: number,
  ): Promise<FoundEntry | null> {
    const reply = await this.thread.request({
      kind: 'start',
      ...entry,
      owner: this.presence.id,
      instead: instead && { ...seenRow(instead), state: instead.state },
      nowMs,
    });
    return reply.kind === 'started' ? null : this.#entryOf(reply.row);
  }

  async markCharged(seen: SeenAttempt): Promise<boolean> {
    const { rows } = await this.thread.request({ kind: 'charge', seen: seenRow(seen) });
    return rows === 1;
  }

  async keep(
    ref: RequestAttemptRef,
    sealed: Uint8Array | null,
    expiresAtMs: number,
  ): Promise<boolean> {
    // In memory of its own: a message with a view into Node's pool would copy the whole pool.
    const own = sealed && new Uint8Array(sealed);
    const request = { kind: 'keep', ...ref, sealed: own, expiresAtMs } as const;
    return (await this.thread.request(request)).rows === 1;
  }

  async remove(ref: RequestAttemptRef): Promise<void> {
    await this.thread.request({ kind: 'remove', ...ref });
  }

  async renew(refs: readonly RequestAttemptRef[], leaseEndsAtMs: number): Promise<number> {
    return (await this.thread.request({ kind: 'renew', refs, leaseEndsAtMs })).rows;
  }

  async sweep(nowMs: number): Promise<number> {
    return (await this.thread.request({ kind: 'sweep', nowMs })).rows;
  }

  close(): Promise<void> {
    return this.thread.close().finally(() => this.presence.release());
  }

  #entryOf({ owner, state, sealed, ...row }: AnswerRow): FoundEntry {
    const isOrphan =
      state === 'running' && owner !== this.presence.id && this.presence.isGone(owner);
    const entryState = state === 'kept' ? { state, sealed: sealed ?? new Uint8Array() } : { state };
    return { ...row, ...entryState, isOrphan };
  }
}
