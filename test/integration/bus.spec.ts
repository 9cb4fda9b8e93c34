import { afterAll, beforeAll } from '@jest/globals';
import { busContract } from '#platform/bus/bus.contract.js';
import { openKafkaBus } from '#platform/bus/kafka/kafka-bus.js';
import { readKafkaUrl } from '#platform/bus/kafka/kafka-url.js';
import { SuiteBroker } from '../servers/kafka/suite-broker.js';
import { CLIENT } from './kafka.fixture.js';

let broker: SuiteBroker;

beforeAll(async () => {
  broker = await SuiteBroker.start();
});

afterAll(() => broker.stop());

/** Enough partitions to share; a broker creates each slowly. */
const topicSettings = () => ({ partitions: 3 });

busContract(`Kafka, through ${CLIENT}`, () =>
  openKafkaBus({ ...readKafkaUrl(broker.newUrl(CLIENT)), topicSettings }),
);
