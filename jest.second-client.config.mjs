/**
 * The suites of the second client package of each server: Kafka and EventStoreDB. The other
 * configurations run them through the first one.
 */
import { project } from './jest.config.mjs';
import integration, { SERVERS } from './jest.integration.config.mjs';

process.env.TEST_SECOND_CLIENT = '1';

const SUITES = [
  'bus',
  'gateway-restart',
  'kafka-security',
  'kafka.faults',
  'planted-area',
  'worker',
  'second-client/openai-client',
];

export default {
  ...integration,
  projects: [
    project(
      'second-kafka-client',
      [`<rootDir>/test/integration/(${SUITES.join('|')}).spec.ts`],
      SERVERS,
    ),
    project('second-event-store-client', [
      '<rootDir>/libs/platform/event-store/**/kurrent*-client.spec.ts',
      '<rootDir>/test/integration/second-client/event-store.spec.ts',
    ]),
  ],
};
