import { type BusMessage } from '#platform/bus/bus.port.js';
import { type KafkaClientName } from '#platform/bus/kafka/kafka-url.js';

export { eventually } from '#platform/bus/bus.fixture.js';

export const KEYS = 8;
export const BOTH_CLIENTS: readonly KafkaClientName[] = ['kafkajs', 'platformatic'];
/** The client of this run: `jest.second-client.config.mjs` selects the second one. */
export const CLIENT: KafkaClientName = process.env['TEST_SECOND_CLIENT']
  ? 'platformatic'
  : 'kafkajs';
/** The scheme of a broker's URL by client. */
export const SCHEMES = { kafkajs: 'kafka:', platformatic: 'kafka+platformatic:' } as const;

/** A message with a fixed id. The keys repeat, so that messages of a key have an order. */
export const message = (n: number, key = `job-${n % KEYS}`): BusMessage => ({
  key,
  id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
  headers: {},
  data: n,
});
