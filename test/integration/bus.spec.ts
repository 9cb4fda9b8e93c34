import { afterAll, beforeAll } from '@jest/globals';
import { busContract } from '#platform/bus/bus.contract.js';
import { openKafkaBus } from '#platform/bus/kafka/kafka-bus.js';
import { readKafkaUrl } from '#platform/bus/kafka/kafka-url.js';
import { startKafka } from '../servers/kafka/kafka.server.js';
import { type TestServer } from '../servers/test-server.js';

/** Topics have new names in each test, so any broker will do. */
const given = process.env['TEST_KAFKA_URL'];

let kafka: TestServer | null = null;
let url: string;

beforeAll(async () => {
  kafka = given === undefined ? await startKafka() : null;
  url = given ?? kafka?.url ?? '';
}, 120_000);

afterAll(() => kafka?.stop());

busContract('Kafka, through kafkajs', () =>
  openKafkaBus({ ...readKafkaUrl(url), client: 'kafkajs' }),
);

busContract('Kafka, through @platformatic/kafka', () =>
  openKafkaBus({ ...readKafkaUrl(url), client: 'platformatic' }),
);
