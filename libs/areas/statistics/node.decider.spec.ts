import { describe, it } from '@jest/globals';
import { NodeSampled } from '#events/statistics/node.events.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { nodeDecider, type SampleNode } from './node.decider.js';

const idle: NodeSampled['data'] = {
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

const sample = (data: NodeSampled['data'], at: string): SampleNode => ({
  type: 'SampleNode',
  data: { ...data, sampledAt: `2026-03-01T${at}:00.000Z` },
  telemetryDueBefore: '2026-03-01T10:05:00.000Z',
  presenceDueBefore: '2026-03-01T09:30:00.000Z',
});

const node = deciderSpecOf(nodeDecider);

describe('the sample of a node', () => {
  it('is recorded when the node is new', () => {
    const first = sample(idle, '10:00');
    node.given().when(first).then(NodeSampled.of(first.data));
  });

  it('is recorded at once when the node is another or has stopped', () => {
    for (const change of [{ units: 4 }, { brand: 'NVIDIA' }, { tflops: 9 }, { isOnline: false }]) {
      const next = sample({ ...idle, ...change }, '10:01');
      node.given(NodeSampled.of(idle)).when(next).then(NodeSampled.of(next.data));
    }
  });

  it('is recorded with telemetry when the last one is old', () => {
    const next = sample({ ...warm, temperatureC: 61 }, '10:10');
    node.given(NodeSampled.of(warm)).when(next).then(NodeSampled.of(next.data));
    const recent = NodeSampled.of({ ...warm, sampledAt: '2026-03-01T10:06:00.000Z' });
    node.given(recent).when(next).thenNothing();
  });

  it('is recorded without telemetry more rarely', () => {
    node.given(NodeSampled.of(idle)).when(sample(idle, '10:10')).thenNothing();
    const old = NodeSampled.of({ ...idle, sampledAt: '2026-03-01T09:30:00.000Z' });
    const next = sample(idle, '10:10');
    node.given(old).when(next).then(NodeSampled.of(next.data));
  });

  it('changes nothing when it comes late', () => {
    const late = sample({ ...idle, isOnline: false }, '09:59');
    node.given(NodeSampled.of(idle)).when(late).thenNothing();
  });
});
