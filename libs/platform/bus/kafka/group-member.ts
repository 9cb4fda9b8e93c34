import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger } from 'pino';
import { backOffMs } from '#platform/kernel/back-off.js';
import { BUS_BACK_OFF } from '../back-off.js';
import { ATTEMPTS_DEFAULT, decodeMessage, type EncodedMessage, reasonOf } from '../bus.checks.js';
import { type Consumer, type ConsumerOptions } from '../bus.port.js';
import { type FetchedRecord, type KafkaClient, type Subscription } from './kafka-client.port.js';
import { KeyLanes } from './key-lanes.js';
import { PartitionOffsets } from './partition-offsets.js';
import { type FailedMessage, receivedOf } from './record-codec.js';
import { Subscriber } from './subscriber.js';
import { groupIdOf } from './topic-names.js';

/** Fetching pauses above either of these and resumes below half of both. */
const WAITING_MESSAGES_MAX = 1_000;
const WAITING_BYTES_MAX = 16 * 1_024 * 1_024;
/** Messages after the first unfinished one of each partition: redelivered after a crash. */
export const OPEN_MESSAGES_MAX = 10_000;
/** How often finished messages are committed. */
const COMMIT_MS = 100;
const COMMIT_RETRY_MS = 1_000;

export interface GroupMemberOptions {
  readonly client: KafkaClient;
  readonly logger: Logger;
  readonly consumer: ConsumerOptions;
  readonly sessionTimeoutMs: number;
  /** Stores a dead letter of this group; resolves when the broker has it. */
  readonly storeDeadLetter: (letter: FailedMessage) => Promise<void>;
}

interface Task {
  readonly key: string;
  readonly message: EncodedMessage;
  readonly partition: number;
  readonly offset: bigint;
  readonly bytes: number;
  /** Aborts when its assignment ends: another member then receives the message. */
  readonly offsets: PartitionOffsets;
  /** Why a foreign message is not handled, or null. */
  readonly foreignReason: string | null;
  attempts: number;
}

/** A member of a group: receives records, handles them by key, commits finished ones. */
export class GroupMember implements Consumer {
  readonly #lanes = new KeyLanes<Task>((task) => this.#attempt(task));
  readonly #partitions = new Map<number, PartitionOffsets>();
  readonly #committed = new Map<number, bigint>();
  readonly #subscriber: Subscriber;
  #memberId = '';
  #waiting = 0;
  #waitingBytes = 0;
  #commitTimer: NodeJS.Timeout | null = null;
  #committing: Promise<void> = Promise.resolve();
  #closing: Promise<void> | null = null;

  constructor(private readonly options: GroupMemberOptions) {
    const { client, logger, consumer, sessionTimeoutMs } = options;
    this.#subscriber = new Subscriber(client, logger, {
      topic: consumer.topic,
      groupId: groupIdOf(consumer.topic, consumer.group),
      sessionTimeoutMs,
      onAssigned: (partitions, memberId) => this.#assign(partitions, memberId),
      onRecords: (records) => this.#take(records),
      onLost: () => this.#assign([], ''),
    });
  }

  /** Resolves when it is a member; rejects when the broker is not reached within the time. */
  join(timeoutMs: number): Promise<void> {
    return this.#subscriber.start(timeoutMs);
  }

  /** Why it receives no messages at the moment, or null. */
  get downReason(): string | null {
    if (this.#subscriber.isAlive) return null;
    const { topic, group } = this.options.consumer;
    return `no member of ${groupIdOf(topic, group)} at the moment`;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#lanes.close();
    if (this.#commitTimer) clearTimeout(this.#commitTimer);
    await this.#committing;
    await this.#commit();
    await this.#subscriber.close();
  }

  get #isClosing(): boolean {
    return this.#closing !== null;
  }

  /** Drops the tasks of revoked partitions, except for those whose handler is running. */
  #assign(partitions: readonly number[], memberId: string): void {
    const isNewLife = memberId !== this.#memberId;
    this.#memberId = memberId;
    for (const partition of this.#partitions.keys()) {
      if (isNewLife || !partitions.includes(partition)) this.#forget(partition);
    }
    for (const partition of partitions) {
      if (!this.#partitions.has(partition)) {
        this.#partitions.set(partition, new PartitionOffsets());
      }
    }
    this.#lanes.drop((task) => {
      const isDropped = this.#isOrphan(task);
      if (isDropped) this.#count(task, -1);
      return isDropped;
    });
    this.#throttle();
  }

  #forget(partition: number): void {
    this.#partitions.delete(partition);
    this.#committed.delete(partition);
  }

  #isOrphan({ partition, offsets }: Task): boolean {
    return this.#partitions.get(partition) !== offsets;
  }

  #take(records: readonly FetchedRecord[]): void {
    if (this.#isClosing) return;
    for (const record of records) {
      const offsets = this.#partitions.get(record.partition);
      if (offsets?.take(record.offset)) this.#enqueue(record, offsets);
    }
    this.#throttle();
  }

  #enqueue(record: FetchedRecord, offsets: PartitionOffsets): void {
    const { topic, group } = this.options.consumer;
    const received = receivedOf(topic, record);
    if (received.kind === 'message' && (received.group ?? group) !== group) {
      offsets.finish(record.offset);
      this.#commitSoon();
      return;
    }
    const { message } = received;
    const task = {
      key: message.key,
      message,
      partition: record.partition,
      offset: record.offset,
      bytes: message.json.length,
      offsets,
      foreignReason: received.kind === 'foreign' ? received.reason : null,
      attempts: 0,
    };
    this.#count(task, 1);
    this.#lanes.add(task);
  }

  async #attempt(task: Task): Promise<number | null> {
    const { topic, handle, attemptsMax = ATTEMPTS_DEFAULT } = this.options.consumer;
    const { message } = task;
    task.attempts += 1;
    try {
      if (task.foreignReason !== null) return await this.#deadLetter(task, task.foreignReason);
      await handle({ ...decodeMessage(message), topic, attempt: task.attempts });
    } catch (failure) {
      // Another member makes the next attempt.
      if (this.#isOrphan(task)) return this.#done(task);
      if (task.attempts < attemptsMax) return backOffMs(BUS_BACK_OFF, task.attempts, Math.random());
      return this.#deadLetter(task, reasonOf(failure));
    }
    return this.#done(task);
  }

  /** Until the dead letter is stored, its key waits: a message is never dropped. */
  async #deadLetter(task: Task, reason: string): Promise<null> {
    const { storeDeadLetter, logger, consumer } = this.options;
    const { partition, offset, message, attempts } = task;
    for (let attempt = 1; ; attempt += 1) {
      try {
        await storeDeadLetter({ partition, offset, message, reason, attempts });
        return this.#done(task);
      } catch (failure) {
        const { topic, group } = consumer;
        const fields = { topic, group, id: message.id, reason: reasonOf(failure) };
        logger.error(fields, 'could not store a dead letter');
        // Not committed, so it is delivered again, to another member or after a restart.
        if (this.#isClosing || this.#isOrphan(task)) break;
        await sleep(backOffMs(BUS_BACK_OFF, attempt, Math.random()));
      }
    }
    this.#count(task, -1);
    return null;
  }

  #done(task: Task): null {
    task.offsets.finish(task.offset);
    this.#count(task, -1);
    this.#throttle();
    this.#commitSoon();
    return null;
  }

  #count({ bytes }: Task, change: 1 | -1): void {
    this.#waiting += change;
    this.#waitingBytes += change * bytes;
  }

  #throttle(): void {
    let open = 0;
    for (const offsets of this.#partitions.values()) open += offsets.open;
    const load = Math.max(
      this.#waiting / WAITING_MESSAGES_MAX,
      this.#waitingBytes / WAITING_BYTES_MAX,
      open / OPEN_MESSAGES_MAX,
    );
    if (load > 1) this.#subscriber.pause();
    if (load <= 0.5) this.#subscriber.resume();
  }

  #commitSoon(delayMs = COMMIT_MS): void {
    if (this.#isClosing) return;
    this.#commitTimer ??= setTimeout(() => {
      this.#commitTimer = null;
      this.#committing = this.#committing.then(() => this.#commit());
    }, delayMs);
  }

  /** Offsets of a failed commit are committed later, or their messages are delivered again. */
  async #commit(): Promise<void> {
    const subscription: Subscription | null = this.#subscriber.current;
    const offsets = new Map<number, bigint>();
    for (const [partition, { committable }] of this.#partitions) {
      if (committable !== null && committable !== this.#committed.get(partition)) {
        offsets.set(partition, committable);
      }
    }
    if (!subscription || offsets.size === 0) return;
    try {
      await subscription.commit(offsets);
      for (const [partition, offset] of offsets) {
        if (this.#partitions.has(partition)) this.#committed.set(partition, offset);
      }
    } catch (failure) {
      const { topic, group } = this.options.consumer;
      this.options.logger.warn({ topic, group, reason: reasonOf(failure) }, 'could not commit');
      this.#commitSoon(COMMIT_RETRY_MS);
    }
  }
}
