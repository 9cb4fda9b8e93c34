import { describe, it } from '@jest/globals';
import { WorkerSampled } from '#events/statistics/worker.events.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { workerDecider, type SampleWorker } from './worker.decider.js';

const idle: WorkerSampled['data'] = {
  node: 'worker-a1',
  isOnline: true,
  units: 2,
  tflops: null,
  brand: 'AMD',
  temperatureC: null,
  powerW: null,
  sampledAt: '2026-03-01T10:00:00.000Z',
};
const warm = { ...idle, temperatureC: 60 };

const sample = (data: WorkerSampled['data'], at: string): SampleWorker => ({
  type: 'SampleWorker',
  data: { ...data, sampledAt: `2026-03-01T${at}:00.000Z` },
  telemetryDueBefore: '2026-03-01T10:05:00.000Z',
  presenceDueBefore: '2026-03-01T09:30:00.000Z',
});

const node = deciderSpecOf(workerDecider);

describe('the sample of a node', () => {
  it('is recorded when the node is new', () => {
    const first = sample(idle, '10:00');
    node.given().when(first).then(WorkerSampled.of(first.data));
  });

  it('is recorded at once when the node is another or has stopped', () => {
    for (const change of [{ units: 4 }, { brand: 'NVIDIA' }, { tflops: 9 }, { isOnline: false }]) {
      const next = sample({ ...idle, ...change }, '10:01');
      node.given(WorkerSampled.of(idle)).when(next).then(WorkerSampled.of(next.data));
    }
  });

  it('is recorded with telemetry when the last one is old', () => {
    const next = sample({ ...warm, temperatureC: 61 }, '10:10');
    node.given(WorkerSampled.of(warm)).when(next).then(WorkerSampled.of(next.data));
    const recent = WorkerSampled.of({ ...warm, sampledAt: '2026-03-01T10:06:00.000Z' });
    node.given(recent).when(next).thenNothing();
  });

  it('is recorded without telemetry more rarely', () => {
    node.given(WorkerSampled.of(idle)).when(sample(idle, '10:10')).thenNothing();
    const old = WorkerSampled.of({ ...idle, sampledAt: '2026-03-01T09:30:00.000Z' });
    const next = sample(idle, '10:10');
    node.given(old).when(next).then(WorkerSampled.of(next.data));
  });

  it('changes nothing when it comes late', () => {
    const late = sample({ ...idle, isOnline: false }, '09:59');
    node.given(WorkerSampled.of(idle)).when(late).thenNothing();
  });
});
