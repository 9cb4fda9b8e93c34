import { busContract } from '../bus.contract.js';
import { createKafkaBus } from './kafka-bus.js';
import { BrokerInMemory } from './kafka-client.specification.js';

busContract('Kafka, on a broker in memory', () =>
  Promise.resolve(createKafkaBus(new BrokerInMemory().client())),
);
