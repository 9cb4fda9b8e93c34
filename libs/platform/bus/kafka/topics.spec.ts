import { describe, expect, it } from '@jest/globals';
import { type KafkaClient, KafkaFailure, type TopicPlan } from './kafka-client.port.js';
import { Topics } from './topics.js';

const bounds = [0, 1, 2].map((partition) => ({ partition, first: 0n, next: 0n }));

const clusterOf = (brokers: number, overrides: Partial<KafkaClient> = {}) => {
  const plans: TopicPlan[] = [];
  const client = {
    brokerCount: () => Promise.resolve(brokers),
    createTopic: (plan) => Promise.resolve(plans.push(plan) > 0),
    bounds: () => Promise.resolve(bounds),
    ...overrides,
  } as KafkaClient;
  return { client, plans };
};

const none = () => ({});

describe('the topics of the bus', () => {
  it.each([
    [1, 1, '1'],
    [2, 2, '1'],
    [3, 3, '2'],
    [9, 3, '2'],
  ])(
    'on %i brokers have %i copies, of which %s must be there',
    async (brokers, replicas, least) => {
      const { client, plans } = clusterOf(brokers);
      expect(await new Topics(client, none, 0).partitions('tasks')).toBe(12);
      expect(plans).toMatchObject([
        {
          topic: 'tasks',
          partitions: 12,
          replicas,
          configuration: { 'min.insync.replicas': least },
        },
      ]);
      expect(plans[0]?.configuration).toMatchObject({
        'retention.ms': `${7 * 86_400_000}`,
        'segment.ms': '86400000',
      });
    },
  );

  it('are created once, with their settings', async () => {
    const { client, plans } = clusterOf(3);
    const topics = new Topics(
      client,
      () => ({ partitions: 1, replicas: 2, retentionMs: 60_000 }),
      0,
    );
    expect(await Promise.all([topics.partitions('a'), topics.partitions('a')])).toEqual([1, 1]);
    expect(plans).toMatchObject([
      { partitions: 1, replicas: 2, configuration: { 'retention.ms': '60000' } },
    ]);
  });

  it('close their segments before the messages in them are too old', async () => {
    const { client, plans } = clusterOf(1);
    const brief = { retentionMs: 60_000, deadLetterRetentionMs: 30_000 };
    const topics = new Topics(client, () => brief, 0);
    await topics.partitions('tasks');
    await topics.deadLetters('tasks', 'tasks.DEAD.workers');
    const segments = plans.map(({ configuration }) => configuration['segment.ms']);
    expect(segments).toEqual(['60000', '30000']);
  });

  it('keep the partitions that an operator gave them', async () => {
    const { client } = clusterOf(1, { createTopic: () => Promise.resolve(false) });
    expect(await new Topics(client, none, 0).partitions('tasks')).toBe(3);
  });

  it('are waited for until all brokers know them', async () => {
    const answers = [null, bounds];
    const { client } = clusterOf(1, {
      createTopic: () => Promise.resolve(false),
      bounds: () => Promise.resolve(answers.shift() ?? null),
    });
    expect(await new Topics(client, none, 5_000).partitions('tasks')).toBe(3);
  });

  it('fail when the broker rejects, and are tried again by the next call', async () => {
    const failures = [new KafkaFailure('refused', 'not yours')];
    const { client } = clusterOf(1, {
      createTopic: () => {
        const failure = failures.shift();
        return failure ? Promise.reject(failure) : Promise.resolve(true);
      },
    });
    const topics = new Topics(client, none, 60_000);
    const unavailable = expect.objectContaining({ name: 'BusError', code: 'bus-unavailable' });
    await expect(topics.partitions('tasks')).rejects.toEqual(unavailable);
    expect(await topics.partitions('tasks')).toBe(12);
  });

  it('of dead letters keep the latest of each, in one partition', async () => {
    const { client, plans } = clusterOf(1);
    await new Topics(client, none, 0).deadLetters('tasks', 'tasks.DEAD.workers');
    expect(plans).toMatchObject([
      { partitions: 1, configuration: { 'cleanup.policy': 'compact,delete' } },
    ]);
  });
});
