import { randomUUID } from 'node:crypto';
import { type DeadLetter } from '../bus.port.js';
import { type FetchedRecord, type KafkaClient, KafkaFailure } from './kafka-client.port.js';
import { deadLetterOf } from './record-codec.js';

const READ_TIMEOUT_MS = 30_000;
const READ_SESSION_MS = 10_000;
/** The last record may have been compacted away, so this many empty fetches mean the end. */
const EMPTY_FETCHES_MAX = 3;

/** A dead letter and the key of its record. */
export interface Kept {
  readonly recordKey: string;
  readonly letter: DeadLetter;
}

/**
 * Reads the remaining dead letters of a topic from its beginning, in the order in which they were
 * stored.
 * @param name of the topic that keeps them
 * @throws KafkaFailure
 */
export const readDeadLetters = async (
  client: KafkaClient,
  name: string,
  of: { readonly topic: string; readonly group: string },
): Promise<readonly Kept[]> => {
  const kept = new Map<string, Kept>();
  for (const record of await recordsOf(client, name)) {
    const letter = deadLetterOf(of.topic, of.group, record);
    const recordKey = record.key ?? '';
    // Deleted first, so that an older dead letter under this key moves to the end.
    kept.delete(recordKey);
    if (letter) kept.set(recordKey, { recordKey, letter });
  }
  return [...kept.values()];
};

/** All records of a topic with one partition, read by a group that is deleted afterwards. */
const recordsOf = async (client: KafkaClient, topic: string): Promise<readonly FetchedRecord[]> => {
  const [bounds] = (await client.bounds(topic)) ?? [];
  if (!bounds || bounds.first === bounds.next) return [];
  const last = bounds.next - 1n;
  const records = new Map<bigint, FetchedRecord>();
  const groupId = `reader-${randomUUID()}@${topic}`;
  let finish: (outcome: 'read' | 'too-late' | 'failed') => void = () => undefined;
  const finished = new Promise<'read' | 'too-late' | 'failed'>((resolve) => (finish = resolve));
  const timer = setTimeout(() => finish('too-late'), READ_TIMEOUT_MS);
  let emptyFetches = 0;
  const subscription = await client.subscribe({
    topic,
    groupId,
    sessionTimeoutMs: READ_SESSION_MS,
    onAssigned: () => undefined,
    onRecords: (fetched) => {
      emptyFetches = 0;
      for (const record of fetched) {
        records.set(record.offset, record);
        if (record.offset >= last) finish('read');
      }
    },
    onAlive: () => {
      emptyFetches += 1;
      if (emptyFetches > EMPTY_FETCHES_MAX) finish('read');
    },
    onFailed: () => finish('failed'),
  });
  const outcome = await finished;
  clearTimeout(timer);
  await subscription.close();
  await client.deleteGroup(groupId).catch(() => undefined);
  if (outcome !== 'read') throw new KafkaFailure('unavailable', `reading ${topic}: ${outcome}`);
  return [...records.values()];
};
