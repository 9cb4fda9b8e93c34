import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { type KafkaClient, KafkaFailure, type KafkaRecord } from './kafka-client.port.js';
import { TopicWriter, WAITING_BYTES_MAX } from './topic-writer.js';

const record = (key: string, bytes = 10): KafkaRecord => ({
  partition: 0,
  key,
  value: Buffer.alloc(bytes),
  headers: {},
});

const unavailable = new KafkaFailure('unavailable', 'gone');

/** The sent requests; a request fails while the script says so. */
const writerOf = (publishTimeoutMs: number, ...script: (Error | null)[]) => {
  const requests: string[][] = [];
  let underWay = 0;
  const send: KafkaClient['send'] = async (_, records) => {
    underWay += 1;
    expect(underWay).toBe(1);
    await sleep(1);
    underWay -= 1;
    requests.push(records.map(({ key }) => key));
    const failure = script.shift();
    if (failure) throw failure;
  };
  const client = { send } as KafkaClient;
  const logger = pino({ level: 'silent' });
  return {
    writer: new TopicWriter({ client, topic: 'tasks', logger, publishTimeoutMs }),
    requests,
  };
};

const rejected = (code: string) => expect.objectContaining({ name: 'BusError', code });

describe('writing to a topic', () => {
  it('sends together what is called for while a request is under way', async () => {
    const { writer, requests } = writerOf(1_000);
    const first = writer.write([record('a')]);
    await sleep(0);
    await Promise.all([
      first,
      writer.write([record('b'), record('c')]),
      writer.write([record('d')]),
    ]);
    expect(requests).toEqual([['a'], ['b', 'c', 'd']]);
  });

  it('keeps a request below what a broker takes', async () => {
    const { writer, requests } = writerOf(1_000);
    const sizes = [400_000, 400_000, 400_000, 1_030_000, 10];
    await writer.write(sizes.map((bytes, index) => record(`${index}`, bytes)));
    expect(requests).toEqual([['0', '1'], ['2'], ['3'], ['4']]);
  });

  it('tries again, the same records in the same order', async () => {
    const { writer, requests } = writerOf(5_000, unavailable, unavailable);
    await writer.write([record('a'), record('b')]);
    expect(requests).toEqual([
      ['a', 'b'],
      ['a', 'b'],
      ['a', 'b'],
    ]);
  });

  it('rejects all waiting messages when the broker stays away, then continues', async () => {
    const { writer } = writerOf(0, unavailable);
    const first = writer.write([record('a')]);
    const second = sleep(0).then(() => writer.write([record('b')]));
    await expect(first).rejects.toEqual(rejected('bus-unavailable'));
    await expect(second).rejects.toEqual(rejected('bus-unavailable'));
    await expect(writer.write([record('c')])).resolves.toBeUndefined();
  });

  it('does not insist where the broker has said no', async () => {
    const { writer, requests } = writerOf(60_000, new KafkaFailure('refused', 'not yours'));
    await expect(writer.write([record('a')])).rejects.toEqual(rejected('bus-unavailable'));
    expect(requests).toHaveLength(1);
  });

  it('fails alone what is too large', async () => {
    const { writer, requests } = writerOf(60_000, new KafkaFailure('too-large', 'too large'));
    const first = writer.write([record('a')]);
    const second = sleep(0).then(() => writer.write([record('b')]));
    await expect(first).rejects.toEqual(rejected('message-too-large'));
    await second;
    expect(requests).toEqual([['a'], ['b']]);
  });

  it('does not let callers pile up more than 64 MiB', async () => {
    const { writer } = writerOf(60_000);
    const large = record('a', 1_000_000);
    const count = Math.ceil(WAITING_BYTES_MAX / 1_000_000) + 1;
    const first = writer.write(Array.from({ length: count }, () => large));
    await expect(writer.write([large])).rejects.toEqual(rejected('topic-full'));
    await first;
    await expect(writer.write([large])).resolves.toBeUndefined();
  });
});
