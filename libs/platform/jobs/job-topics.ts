import { type TaskTopicSettings } from '#platform/tasks/task-topics.js';
import { ASKS_TOPIC, workTopicOf } from './job.protocol.js';

/** Each has one consumer, and no process reads a message of them after ten minutes. */
const SHORT: TaskTopicSettings = {
  partitions: 1,
  retentionMs: 600_000,
  deadLetterRetentionMs: 600_000,
};

/**
 * How a broker keeps a topic of jobs; nothing for any other topic. Reports are kept as long as the
 * broker's default: until a process takes it, a report is the only copy of a result.
 */
export const jobTopicSettings = (topic: string): TaskTopicSettings =>
  topic === ASKS_TOPIC || topic.startsWith(workTopicOf('')) ? SHORT : {};
