import { type AnyEngineDefinition } from './engine.js';
import { filePartsTopicOf, fileRequestsTopicOf } from './file.protocol.js';
import {
  cancellationsTopicOf,
  pinnedTasksTopicOf,
  repliesTopicOf,
  tasksTopicOf,
} from './task.protocol.js';
import { probeResultsTopicOf, probesTopicOf } from './probe.protocol.js';
import { HEARTBEATS_TOPIC } from './worker-heartbeat.js';
import { ORDERS_TOPIC } from './worker-orders.js';

/** How a broker keeps a topic; a field that is absent means the adapter's default. */
export interface TaskTopicSettings {
  readonly partitions?: number;
  readonly retentionMs?: number;
  readonly deadLetterRetentionMs?: number;
}

const RETENTION_MS = 600_000;
const RETENTION = { retentionMs: RETENTION_MS, deadLetterRetentionMs: RETENTION_MS } as const;
/** Each has one consumer in a group, to which a second partition brings nothing. */
const ONE_PARTITION = { ...RETENTION, partitions: 1 } as const;

const FLEET_TOPICS: ReadonlySet<string> = new Set([HEARTBEATS_TOPIC, ORDERS_TOPIC]);

const OF_ONE_PROCESS: readonly string[] = [
  repliesTopicOf(''),
  pinnedTasksTopicOf(''),
  probesTopicOf(''),
  probeResultsTopicOf(''),
  fileRequestsTopicOf(''),
  filePartsTopicOf(''),
];

/**
 * How a broker keeps the topics of these engines, for an adapter that asks by topic; nothing for
 * any other topic. No process reads a message of them after ten minutes.
 */
export const taskTopicSettings = (
  engines: readonly AnyEngineDefinition[],
): ((topic: string) => TaskTopicSettings) => {
  const tasks = new Set(engines.map(({ name }) => tasksTopicOf(name)));
  const cancellations = new Set(engines.map(({ name }) => cancellationsTopicOf(name)));
  return (topic) => {
    if (tasks.has(topic)) return RETENTION;
    const hasOnePartition =
      cancellations.has(topic) ||
      FLEET_TOPICS.has(topic) ||
      OF_ONE_PROCESS.some((prefix) => topic.startsWith(prefix));
    return hasOnePartition ? ONE_PARTITION : {};
  };
};
