import { createHash } from 'node:crypto';

/** Of the prefix that an installation may have. */
export const PREFIX_LENGTH_MAX = 32;
/** The limit of brokers for the name of a topic, less a prefix and its dot. */
const TOPIC_LENGTH_MAX = 249 - PREFIX_LENGTH_MAX - 1;
const DIGEST_LENGTH = 32;

/** Kafka's groups span all topics, ours are within one; no name of the bus contains `@`. */
export const groupIdOf = (topic: string, group: string): string => `${group}@${topic}`;

/** Names of the bus have no capitals, so this is never the name of another topic. */
export const deadLetterTopicOf = (topic: string, group: string): string => {
  const name = `${topic}.DEAD.${group}`;
  if (name.length <= TOPIC_LENGTH_MAX) return name;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, DIGEST_LENGTH);
  return `${name.slice(0, TOPIC_LENGTH_MAX - DIGEST_LENGTH - 1)}.${digest}`;
};
