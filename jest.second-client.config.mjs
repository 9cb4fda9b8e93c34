/**
 * The suites that reach Kafka, through the second client package.
 * `jest.integration.config.mjs` runs them through the first one.
 */
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
    {
      ...SERVERS,
      displayName: 'second-client',
      testMatch: [`<rootDir>/test/integration/(${SUITES.join('|')}).spec.ts`],
    },
  ],
};
