import { type KafkaClient } from './kafka-client.port.js';

/**
 * Prefixes the names of all topics and groups, so that installations can share a cluster and an
 * operator can grant rights by prefix.
 */
export const prefixedClient = (client: KafkaClient, prefix: string): KafkaClient => {
  const named = (name: string): string => `${prefix}.${name}`;
  return {
    send: (topic, records) => client.send(named(topic), records),
    createTopic: (plan) => client.createTopic({ ...plan, topic: named(plan.topic) }),
    brokerCount: () => client.brokerCount(),
    bounds: (topic) => client.bounds(named(topic)),
    subscribe: (options) =>
      client.subscribe({
        ...options,
        topic: named(options.topic),
        groupId: named(options.groupId),
      }),
    openFetcher: (topic) => client.openFetcher(named(topic)),
    deleteGroup: (groupId) => client.deleteGroup(named(groupId)),
    close: () => client.close(),
  };
};
