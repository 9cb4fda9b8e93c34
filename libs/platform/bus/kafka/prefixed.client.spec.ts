import { describe, expect, it } from '@jest/globals';
import { busContract } from '../bus.contract.js';
import { createKafkaBus } from './kafka-bus.js';
import { BrokerInMemory } from './kafka-client.fake.js';
import { prefixedClient } from './prefixed.client.js';

const one = '00000000-0000-4000-8000-000000000001';

busContract('Kafka, on a broker in memory that others use, too', () =>
  Promise.resolve(createKafkaBus(prefixedClient(new BrokerInMemory().client(), 'acme'))),
);

describe('two installations on one broker', () => {
  it('hear nothing of each other', async () => {
    const broker = new BrokerInMemory();
    const [acme, other] = ['acme', 'other'].map((prefix) =>
      createKafkaBus(prefixedClient(broker.client(), prefix)),
    );
    const heard: string[] = [];
    await new Promise<void>((resolve) => {
      const hear = (name: string) => ({
        topic: 'tasks',
        group: 'workers',
        handle: () => Promise.resolve(void heard.push(name)).then(resolve),
      });
      void acme?.consume(hear('acme'));
      void other?.consume(hear('other'));
      void acme?.publish('tasks', [{ key: 'job-1', id: one, headers: {}, data: 1 }]);
    });
    await acme?.close();
    await other?.close();
    expect(heard).toEqual(['acme']);
    expect([...broker.topics.keys()]).toEqual(['acme.tasks', 'other.tasks']);
    expect([...broker.commits.keys()]).toContain('acme.workers@tasks');
  });
});
