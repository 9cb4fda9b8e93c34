import { describe, expect, it, jest } from '@jest/globals';
import { busContract } from '../bus.contract.js';
import { createKafkaBus } from './kafka-bus.js';
import { BrokerInMemory } from './kafka-client.fake.js';

busContract('Kafka, on a broker in memory', () =>
  Promise.resolve(createKafkaBus(new BrokerInMemory().client())),
);

describe('the health of the bus', () => {
  const consumer = { topic: 'tasks', group: 'workers', handle: () => Promise.resolve() };

  it('is bad while a consumer is no member of its group, and good again afterwards', async () => {
    const broker = new BrokerInMemory();
    const bus = createKafkaBus(broker.client());
    await bus.consume(consumer);
    expect(await bus.health()).toEqual({ reachable: true, reason: null });
    broker.expel('workers@tasks', new Error('the session has ended'));
    await new Promise((resolve) => setImmediate(resolve));
    const reason = 'no member of workers@tasks at the moment';
    expect(await bus.health()).toEqual({ reachable: false, reason });
    while (!(await bus.health()).reachable) await new Promise((resolve) => setTimeout(resolve, 5));
    await bus.close();
  });

  it('is bad while the broker is silent, and good after the consumer has left', async () => {
    const bus = createKafkaBus(new BrokerInMemory().client());
    const member = await bus.consume(consumer);
    const nowMs = Date.now();
    const now = jest.spyOn(Date, 'now').mockReturnValue(nowMs + 5_001);
    expect(await bus.health()).toMatchObject({ reachable: false });
    await member.close();
    expect(await bus.health()).toMatchObject({ reachable: true });
    now.mockRestore();
    await bus.close();
  });
});
