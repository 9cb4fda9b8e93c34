/** Messages and dead letters as records of Kafka, and back. */
import { crc32 } from 'node:zlib';
import { v5 as uuidV5 } from 'uuid';
import { type EncodedMessage, MESSAGE_BYTES_MAX } from '../bus.checks.js';
import { BusError } from '../bus.errors.js';
import { type BusMessage, type DeadLetter } from '../bus.port.js';
import { type FetchedRecord, type KafkaRecord } from './kafka-client.port.js';

/** The prefix of the bus's own headers. A sender's header with this prefix is renamed. */
const OWN = 'quipu.';
const SENDERS = 'quipu.header.';
const ID = 'quipu.id';
/** The only group that the message is for. */
const GROUP = 'quipu.group';
const KEY = 'quipu.key';
const REASON = 'quipu.reason';
const ATTEMPTS = 'quipu.attempts';

/** At most, of a record beside its key, value and headers; and of each header beside its text. */
const RECORD_OVERHEAD_BYTES = 64;
const HEADER_OVERHEAD_BYTES = 10;
/** Brokers take 1,048,588 bytes by default; the rest is for the headers of a dead letter. */
const RECORD_BYTES_MAX = 1_040_000;

/** The namespace of ids for foreign messages, which have none: a record always gets the same id. */
const FOREIGN = '5b0a3c52-6f0e-4d6a-9d0c-3c1f0d0e7a11';

/**
 * The partition of a key, as librdkafka's default has it. Not left to the client, so that all
 * clients agree.
 */
export const partitionOf = (key: string, partitions: number): number => crc32(key) % partitions;

/** An upper bound of its size in a batch. */
export const bytesOf = ({ key, value, headers }: Omit<KafkaRecord, 'partition'>): number => {
  let bytes = RECORD_OVERHEAD_BYTES + Buffer.byteLength(key) + (value?.length ?? 0);
  for (const [name, text] of Object.entries(headers)) {
    bytes += HEADER_OVERHEAD_BYTES + Buffer.byteLength(name) + Buffer.byteLength(text);
  }
  return bytes;
};

/**
 * @param group where it is for one group only
 * @throws BusError `message-too-large` where thousands of headers make more of it than their text
 */
export const recordOf = (
  { key, id, headers, json }: EncodedMessage,
  group?: string,
): Omit<KafkaRecord, 'partition'> => {
  const own = { [ID]: id, ...(group !== undefined && { [GROUP]: group }) };
  const record = { key, value: Buffer.from(json), headers: { ...escaped(headers), ...own } };
  if (bytesOf(record) > RECORD_BYTES_MAX) {
    const detail = `message ${id} has too many headers to fit ${MESSAGE_BYTES_MAX} bytes`;
    throw new BusError('message-too-large', detail);
  }
  return record;
};

/** A message for a handler, or the reason why there is none. */
export type Received =
  | { readonly kind: 'message'; readonly message: EncodedMessage; readonly group: string | null }
  /** Not written by a bus. It becomes a dead letter. */
  | { readonly kind: 'foreign'; readonly message: EncodedMessage; readonly reason: string };

export const receivedOf = (topic: string, record: FetchedRecord): Received => {
  const { key, value, headers, partition, offset } = record;
  const id = headers[ID];
  const json = value?.toString('utf8');
  if (id !== undefined && key !== null && key !== '' && json !== undefined && isJson(json)) {
    const message = { key, id, headers: unescaped(headers), json };
    return { kind: 'message', message, group: headers[GROUP] ?? null };
  }
  const message = {
    key: key ?? `${partition}`,
    id: uuidV5(`${topic}/${partition}/${offset}`, FOREIGN),
    headers: unescaped(headers),
    json: JSON.stringify(json ?? null),
  };
  return { kind: 'foreign', message, reason: 'not a message of the bus' };
};

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

export interface FailedMessage {
  /** Of its record: a message that fails again after a crash is one dead letter. */
  readonly partition: number;
  readonly offset: bigint;
  readonly message: EncodedMessage;
  readonly reason: string;
  readonly attempts: number;
}

export const deadLetterRecordOf = ({
  partition,
  offset,
  message,
  ...failed
}: FailedMessage): KafkaRecord => ({
  partition: 0,
  key: `${partition}/${offset}`,
  value: Buffer.from(message.json),
  headers: {
    ...escaped(message.headers),
    [ID]: message.id,
    [KEY]: message.key,
    [REASON]: failed.reason,
    [ATTEMPTS]: `${failed.attempts}`,
  },
});

/** @returns null for a record that is no dead letter */
export const deadLetterOf = (
  topic: string,
  group: string,
  { value, headers }: FetchedRecord,
): DeadLetter | null => {
  const { [ID]: id, [KEY]: key, [REASON]: reason, [ATTEMPTS]: attempts } = headers;
  if (id === undefined || key === undefined || reason === undefined || !value) return null;
  const data = JSON.parse(value.toString('utf8')) as unknown;
  const message: BusMessage = { key, id, headers: unescaped(headers), data };
  return { ...message, topic, group, reason, attempts: Number(attempts) };
};

const escaped = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.startsWith(OWN) ? SENDERS + name : name,
      value,
    ]),
  );

const unescaped = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      if (name.startsWith(SENDERS)) return [[name.slice(SENDERS.length), value]];
      return name.startsWith(OWN) ? [] : [[name, value]];
    }),
  );
