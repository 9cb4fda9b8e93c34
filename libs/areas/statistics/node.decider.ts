import { NodeSampled } from '#events/statistics/node.events.js';
import { type Decider } from '#platform/kernel/decider.js';

/** A worker has reported of itself. */
export interface SampleNode {
  readonly type: 'SampleNode';
  readonly data: NodeSampled['data'];
  /** A sample of telemetry before this instant is old; ISO 8601 UTC. */
  readonly telemetryDueBefore: string;
  /** So is a sample without telemetry. */
  readonly presenceDueBefore: string;
}

export interface NodeState {
  /** Null: never. */
  readonly last: NodeSampled['data'] | null;
}

/** What a node is, without what changes from one heartbeat to the next. */
const isSameNode = (one: NodeSampled['data'], other: NodeSampled['data']): boolean =>
  one.isOnline === other.isOnline &&
  one.units === other.units &&
  one.tflops === other.tflops &&
  one.brand === other.brand;

const isDue = (
  { data, telemetryDueBefore, presenceDueBefore }: SampleNode,
  last: NodeSampled['data'],
): boolean => {
  const hasTelemetry = data.temperatureC !== null || data.powerW !== null;
  return last.sampledAt <= (hasTelemetry ? telemetryDueBefore : presenceDueBefore);
};

/** Records a change at once, and a node that goes on as it was from time to time. */
export const nodeDecider: Decider<SampleNode, NodeState, NodeSampled> = {
  initialState: { last: null },
  decide: (command, { last }) => {
    const { data } = command;
    const isNews = last === null || !isSameNode(last, data) || isDue(command, last);
    const isLater = last === null || data.sampledAt > last.sampledAt;
    return isNews && isLater ? [NodeSampled.of(data)] : [];
  },
  evolve: (_state, { data }) => ({ last: data }),
};
