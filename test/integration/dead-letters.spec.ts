import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openKafkaBus } from '#platform/bus/kafka/kafka-bus.js';
import { readKafkaUrl } from '#platform/bus/kafka/kafka-url.js';
import { runCommand } from '../end-to-end/command-line.fixture.js';
import { eventually } from '../end-to-end/quipu.harness.js';
import { SuiteBroker } from '../servers/kafka/suite-broker.js';

const ids = [1, 2, 3].map((n) => `00000000-0000-4000-8000-00000000000${n}`);

let broker: SuiteBroker;
let url: string;

beforeAll(async () => {
  broker = await SuiteBroker.start();
  url = broker.newUrl();
});

afterAll(() => broker.stop());

const quipu = async (...words: string[]) => {
  const environment = { QUIPU_BUS: url };
  const ended = await runCommand(environment, ['deadletters', ...words, '--json']);
  const result = JSON.parse(ended.stdout || ended.stderr) as Record<string, unknown>;
  return { exitCode: ended.exitCode, result };
};

describe('dead letters on the command line', () => {
  it('are listed, and delivered again to their group', async () => {
    const topic = `dead-letters.${randomUUID()}`;
    const of = ['--topic', topic, '--group', 'workers'];
    const bus = await openKafkaBus(readKafkaUrl(url));
    const delivered: string[] = [];
    let isBroken = true;
    await bus.consume({
      topic,
      group: 'workers',
      attemptsMax: 1,
      handle: ({ id }) => {
        delivered.push(id);
        return isBroken ? Promise.reject(new Error('out of memory')) : Promise.resolve();
      },
    });
    await bus.publish(
      topic,
      ids.map((id) => ({ key: 'job-1', id, headers: { type: 'task' }, data: { id } })),
    );
    const listed = async () => (await quipu('list', ...of)).result['dead_letters'] as unknown[];
    await eventually(async () => (await listed()).length >= 3);
    expect(await listed()).toEqual(
      ids.map((id) => ({
        id,
        key: 'job-1',
        attempts: 1,
        reason: 'out of memory',
        headers: { type: 'task' },
        data: { id },
      })),
    );
    isBroken = false;
    const one = await quipu('retry', ...of, ids[1] ?? '');
    expect(one).toEqual({ exitCode: 0, result: { success: true, retried: [ids[1]] } });
    const again = await quipu('retry', ...of, ids[1] ?? '');
    expect(again).toMatchObject({ exitCode: 1, result: { code: 'unknown_dead_letter' } });
    expect((await quipu('retry', ...of, '--all')).result['retried']).toEqual([ids[0], ids[2]]);
    await eventually(() => delivered.length >= 6);
    expect(delivered).toEqual([...ids, ids[1], ids[0], ids[2]]);
    expect(await listed()).toEqual([]);
    await bus.close();
  });
});
