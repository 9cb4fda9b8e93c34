import { WorkerSampled } from '#events/statistics/worker.events.js';
import { type Decider } from '#platform/kernel/decider.js';

/** A worker has reported of itself. */
export interface SampleWorker {
  readonly type: 'SampleWorker';
  readonly data: WorkerSampled['data'];
  /** A sample of telemetry before this instant is old; ISO 8601 UTC. */
  readonly telemetryDueBefore: string;
  /** So is a sample without telemetry. */
  readonly presenceDueBefore: string;
}

export interface WorkerState {
  /** Null: never. */
  readonly last: WorkerSampled['data'] | null;
}

/**
 * Compares the facts of a worker, without the readings that change from one heartbeat to the next.
 */
const isSameWorker = (one: WorkerSampled['data'], other: WorkerSampled['data']): boolean =>
  one.isOnline === other.isOnline &&
  one.units === other.units &&
  one.tflops === other.tflops &&
  one.brand === other.brand;

const isDue = (
  { data, telemetryDueBefore, presenceDueBefore }: SampleWorker,
  last: WorkerSampled['data'],
): boolean => {
  const hasTelemetry = data.temperatureC !== null || data.powerW !== null;
  return last.sampledAt <= (hasTelemetry ? telemetryDueBefore : presenceDueBefore);
};

/** Records a change at once, and an unchanged worker from time to time. */
export const workerDecider: Decider<SampleWorker, WorkerState, WorkerSampled> = {
  initialState: { last: null },
  decide: (command, { last }) => {
    const { data } = command;
    const isNews = last === null || !isSameWorker(last, data) || isDue(command, last);
    const isLater = last === null || data.sampledAt > last.sampledAt;
    return isNews && isLater ? [WorkerSampled.of(data)] : [];
  },
  evolve: (_state, { data }) => ({ last: data }),
};
