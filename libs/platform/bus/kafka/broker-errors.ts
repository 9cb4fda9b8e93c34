import { type KafkaFailureKind } from './kafka-client.port.js';

/** By the broker's own words, which are the same for every client. */
const KINDS: Readonly<Record<string, KafkaFailureKind>> = {
  MESSAGE_TOO_LARGE: 'too-large',
  RECORD_LIST_TOO_LARGE: 'too-large',
  TOPIC_AUTHORIZATION_FAILED: 'refused',
  GROUP_AUTHORIZATION_FAILED: 'refused',
  CLUSTER_AUTHORIZATION_FAILED: 'refused',
  UNSUPPORTED_SASL_MECHANISM: 'refused',
  SASL_AUTHENTICATION_FAILED: 'refused',
  INVALID_PARTITIONS: 'refused',
  INVALID_REPLICATION_FACTOR: 'refused',
  INVALID_CONFIG: 'refused',
  POLICY_VIOLATION: 'refused',
};

/**
 * @param word as in `MESSAGE_TOO_LARGE`; what is not listed may be another story at the next try
 */
export const kindOfBrokerError = (word: string): KafkaFailureKind => KINDS[word] ?? 'unavailable';
