import { WorkerSampled } from '#events/statistics/worker.events.js';
import { type Projection } from '#platform/kernel/projection.js';
import { slotKeysOf, withMember } from './time-slots.js';

/** The samples of one quantity. */
export interface Samples {
  readonly sum: number;
  readonly count: number;
  /** Nodes that reported it, `MEMBERS_MAX` at most. */
  readonly nodes: readonly string[];
}

export interface NodeTelemetry {
  readonly temperatureC: Samples;
  readonly powerW: Samples;
}

const none: Samples = { sum: 0, count: 0, nodes: [] };

const withSample = (samples: Samples, node: string, value: number | null): Samples =>
  value === null
    ? samples
    : {
        sum: samples.sum + value,
        count: samples.count + 1,
        nodes: withMember(samples.nodes, node),
      };

/** How warm were the nodes, and what did they draw, in each slot of time? */
export const nodeTelemetry: Projection<WorkerSampled, NodeTelemetry> = {
  name: 'node-telemetry',
  version: 1,
  on: { WorkerSampled },
  keys: ({ data }) => slotKeysOf(data.sampledAt),
  initial: () => ({ temperatureC: none, powerW: none }),
  project: ({ data: { node, temperatureC, powerW } }, document) => ({
    temperatureC: withSample(document.temperatureC, node, temperatureC),
    powerW: withSample(document.powerW, node, powerW),
  }),
};
