import { afterAll, beforeAll } from '@jest/globals';
import { busContract } from '#platform/bus/bus.contract.js';
import { openKafkaBus } from '#platform/bus/kafka/kafka-bus.js';
import { readKafkaUrl } from '#platform/bus/kafka/kafka-url.js';
import { SuiteBroker } from '../servers/kafka/suite-broker.js';

let broker: SuiteBroker;

beforeAll(async () => {
  broker = await SuiteBroker.start();
}, 120_000);

afterAll(() => broker.stop());

/** Enough partitions to share; a broker creates each slowly. */
const topicSettings = () => ({ partitions: 3 });

busContract('Kafka, through kafkajs', () =>
  openKafkaBus({ ...readKafkaUrl(broker.newUrl('kafkajs')), topicSettings }),
);

busContract('Kafka, through @platformatic/kafka', () =>
  openKafkaBus({ ...readKafkaUrl(broker.newUrl('platformatic')), topicSettings }),
);
