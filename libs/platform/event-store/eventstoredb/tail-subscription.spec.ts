import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '#platform/kernel/eventually.fixture.js';
import { EventStoreDbLogReader } from './eventstoredb-log-reader.js';
import { connectionOf, recordAt, ScriptedClient } from './scripted-client.fake.js';
import { type ArrivedGroup, TailSubscription } from './tail-subscription.js';

describe('a subscription to the log', () => {
  const running: TailSubscription[] = [];

  afterEach(() => {
    for (const subscription of running.splice(0)) subscription.end();
  });

  const begin = (...clients: ScriptedClient[]) => {
    const connection = connectionOf(...clients);
    const reader = new EventStoreDbLogReader(connection, { pageMs: 100, outageMs: 100 });
    const groups: ArrivedGroup[] = [];
    const options = { connection, reader, silenceMs: 20, logger: undefined };
    const tail = new TailSubscription(options, 0n, (group) => groups.push(group));
    running.push(tail);
    return { connection, groups, tail };
  };

  const subscribed = async (client: ScriptedClient, times: number) => {
    await eventually(() => Promise.resolve(client.subscriptions.length >= times));
    return client.subscriptions[times - 1];
  };

  it('delivers the events of one turn together, and skips the server’s own events', async () => {
    const client = new ScriptedClient();
    const { groups, tail } = begin(client);
    const first = await subscribed(client, 1);
    for (const position of [1n, 2n]) first?.listener.onEvent(recordAt(position));
    first?.listener.onEvent(recordAt(3n, { type: '$metadata', streamId: '$$job-1' }));
    await eventually(() => Promise.resolve(tail.position === 3n));
    expect(groups).toMatchObject([{ events: [{ position: 1n }, { position: 2n }], position: 3n }]);
  });

  it('continues after the last event, and delivers nothing twice', async () => {
    const client = new ScriptedClient();
    const { groups, tail } = begin(client);
    const first = await subscribed(client, 1);
    for (const position of [1n, 2n]) first?.listener.onEvent(recordAt(position));
    first?.listener.onEnd(new Error('too slow'));
    const second = await subscribed(client, 2);
    expect(second?.after).toBe(2n);
    for (const position of [2n, 3n]) second?.listener.onEvent(recordAt(position));
    await eventually(() => Promise.resolve(tail.position === 3n));
    const positions = groups.flatMap(({ events }) => events.map(({ position }) => position));
    expect(positions).toEqual([1n, 2n, 3n]);
  });

  it('is renewed when it is silent although the log has grown', async () => {
    const client = new ScriptedClient();
    client.log.push(recordAt(1n));
    const { tail } = begin(client);
    const second = await subscribed(client, 2);
    expect(second?.after).toBe(0n);
    second?.listener.onEvent(recordAt(1n));
    await eventually(() => Promise.resolve(tail.position === 1n));
    await sleep(100);
    expect(client.subscriptions).toHaveLength(2);
  });

  it('moves to the client that takes the place of one that is stuck', async () => {
    const [stuck, next] = [new ScriptedClient(), new ScriptedClient()];
    const { connection } = begin(stuck, next);
    await subscribed(stuck, 1);
    stuck.probe = () => Promise.reject(new Error('stuck'));
    connection.failed(new Error('no answer'));
    expect((await subscribed(next, 1))?.after).toBe(0n);
    expect(stuck.isDisposed).toBe(true);
    expect(connection.trouble).toBeNull();
  });
});
