import { type KafkaFailureKind } from './kafka-client.port.js';

/** Keyed by the broker's error names, which are the same for every client. */
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

/** @param word such as `MESSAGE_TOO_LARGE`; an unlisted error may be temporary */
export const kindOfBrokerError = (word: string): KafkaFailureKind => KINDS[word] ?? 'unavailable';
