import { describe, expect, it } from '@jest/globals';
import { countingEngine, CountingLog } from './counting.engine.fake.js';
import { helpsElsewhere } from './task.failures.js';
import { taskTopicSettings } from './task-topics.js';

const log = new CountingLog();

describe('an engine definition', () => {
  it.each(['', 'Text', '1text', 'a b', 'a.b', 'a'.repeat(33)])('rejects the name "%s"', (name) => {
    expect(() => countingEngine(log, { name })).toThrow(/cannot be the name of an engine/);
  });

  it.each([0, -1, 1.5, Number.NaN])('rejects %p tasks', (limit) => {
    const tasksMax = { worker: 1, inProcess: limit };
    expect(() => countingEngine(log, { tasksMax })).toThrow(/cannot be its number of tasks/);
  });

  it('rejects a failure code that is no word', () => {
    expect(() => countingEngine(log, { failures: { 'no good': 'final' } })).toThrow(/no good/);
  });
});

describe('a failure', () => {
  it.each([
    ['busy', true],
    ['expired', true],
    ['closed', true],
    ['beads_missing', true],
    ['too_long', false],
    ['failed', false],
    ['unreadable', false],
    ['toString', false],
    ['unknown', false],
  ])('may be helped by another worker: %s %p', (code, helps) => {
    expect(helpsElsewhere(countingEngine(log), code)).toBe(helps);
  });
});

describe('the topics of engines', () => {
  const kept = { retentionMs: 600_000, deadLetterRetentionMs: 600_000 };

  it.each([
    ['quipu.tasks.counting', kept],
    ['quipu.cancellations.counting', { ...kept, partitions: 1 }],
    ['quipu.replies.gateway-1', { ...kept, partitions: 1 }],
    ['quipu.workers.heartbeats', { ...kept, partitions: 1 }],
    ['quipu.workers.orders', { ...kept, partitions: 1 }],
    ['quipu.worker-tasks.worker-1', { ...kept, partitions: 1 }],
    ['quipu.tasks.other', {}],
    ['quipu.notices', {}],
  ])('are kept for ten minutes, and no other: %s', (topic, settings) => {
    expect(taskTopicSettings([countingEngine(log)])(topic)).toEqual(settings);
  });
});
