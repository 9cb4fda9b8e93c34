import { describe, expect, it } from '@jest/globals';
import { encodeMessage } from '../bus.checks.js';
import { type BusMessage } from '../bus.port.js';
import { type FetchedRecord } from './kafka-client.port.js';
import {
  deadLetterOf,
  deadLetterRecordOf,
  partitionOf,
  receivedOf,
  recordOf,
} from './record-codec.js';

const message: BusMessage = {
  key: 'job-1',
  id: '00000000-0000-4000-8000-000000000001',
  headers: { type: 'task', 'quipu.id': 'mine', 'quipu.header.x': '', __proto__x: 'p' },
  data: { n: 1 },
};
const encoded = encodeMessage(message);
const fetched = (record: Partial<FetchedRecord>): FetchedRecord => ({
  partition: 3,
  offset: 7n,
  key: null,
  value: null,
  headers: {},
  ...record,
});

describe('a message as a record', () => {
  it('comes back as it was, with headers that are named like ours', () => {
    const received = receivedOf('tasks', fetched(recordOf(encoded)));
    expect(received).toEqual({ kind: 'message', message: encoded, group: null });
  });

  it('may be for one group', () => {
    const received = receivedOf('tasks', fetched(recordOf(encoded, 'workers')));
    expect(received).toEqual({ kind: 'message', message: encoded, group: 'workers' });
  });

  it('is rejected where headers make more of it than a broker takes', () => {
    const headers = Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`h${n}`, '']));
    const many = encodeMessage({ ...message, headers, data: 'x'.repeat(500_000) });
    const rejected = expect.objectContaining({ name: 'BusError', code: 'message-too-large' });
    expect(() => recordOf(many)).toThrow(rejected);
  });

  it('lies where librdkafka would put it', () => {
    // CRC-32 of "123456789", the check value of the standard.
    expect(partitionOf('123456789', 1_000_000)).toBe(0xcbf43926 % 1_000_000);
  });
});

describe('a foreign record', () => {
  it.each<[string, Partial<FetchedRecord>, string]>([
    ['nothing at all', {}, 'null'],
    ['no id', { key: 'a', value: Buffer.from('{"n":1}') }, '"{\\"n\\":1}"'],
    ['no JSON', { ...recordOf(encoded), value: Buffer.from('{') }, '"{"'],
    ['no value', { ...recordOf(encoded), value: null }, 'null'],
  ])('is recognised: %s', (_, record, json) => {
    const received = receivedOf('tasks', fetched(record));
    expect(received).toMatchObject({ kind: 'foreign', message: { json } });
    expect(received.message.id).toBe(receivedOf('tasks', fetched(record)).message.id);
    expect(received.message.id).not.toBe(
      receivedOf('tasks', fetched({ ...record, offset: 8n })).message.id,
    );
  });
});

describe('a dead letter as a record', () => {
  const failed = { partition: 3, offset: 7n, message: encoded, reason: 'no', attempts: 5 };

  it('comes back as it was, with its reason', () => {
    const letter = deadLetterOf('tasks', 'workers', fetched(deadLetterRecordOf(failed)));
    const expected = { ...message, topic: 'tasks', group: 'workers', reason: 'no', attempts: 5 };
    expect(letter).toEqual(expected);
  });

  it('is none once it is taken off, or for a foreign record', () => {
    const taken = fetched({ ...deadLetterRecordOf(failed), value: null });
    expect(deadLetterOf('tasks', 'workers', taken)).toBeNull();
    const foreign = fetched({ key: 'x', value: Buffer.from('{') });
    expect(deadLetterOf('tasks', 'workers', foreign)).toBeNull();
  });
});
