import { describe, expect, it } from '@jest/globals';
import {
  completed,
  expired,
  handedOff,
  leased,
  released,
  renewed,
  after,
} from '#areas/mesh/mesh-task.fixture.js';
import { type MeshTaskEvent } from '#events/mesh/mesh-task.events.js';
import { meshTasks, type MeshTask } from './mesh-tasks.projection.js';

const KEY = '7/survey-4711';

const taskAfter = (...events: readonly MeshTaskEvent[]): MeshTask | null => {
  expect(events.flatMap((event) => meshTasks.keys(event))).toEqual(events.map(() => KEY));
  const folded = events.reduce(
    (document, event) => meshTasks.project(event, document, KEY),
    meshTasks.initial(KEY),
  );
  return folded.task;
};

describe('the tasks of an account', () => {
  it('have the last lease and its end', () => {
    expect(taskAfter(leased)).toEqual({
      accountId: '7',
      taskId: 'survey-4711',
      status: 'leased',
      agent: 'ann',
      fromAgent: null,
      token: 1,
      ttlSeconds: 300,
      contextRef: null,
      resultRef: null,
      createdAt: after(0),
      handedOffAt: after(0),
      expiresAt: after(300),
      renewableUntil: after(86_400),
      completedAt: null,
    });
    expect(taskAfter(leased, renewed(100, 400))?.expiresAt).toBe(after(400));
    expect(taskAfter(leased, expired(300))?.status).toBe('expired');
    expect(taskAfter(leased, released(10))?.status).toBe('released');
  });

  it('keep their creation, and their context until another one is given', () => {
    const first = handedOff('ann', 0, { contextRef: 'file-1' });
    const given = { token: 2, because: 'handed_off', fromAgent: 'ann' } as const;
    const next = handedOff('bob', 10, given);
    const kept = { agent: 'bob', fromAgent: 'ann', contextRef: 'file-1', createdAt: after(0) };
    expect(taskAfter(first, next)).toMatchObject({ ...kept, handedOffAt: after(10) });
    const other = handedOff('bob', 10, { ...given, contextRef: 'file-2' });
    expect(taskAfter(first, other)?.contextRef).toBe('file-2');
  });

  it('have a result when they are completed', () => {
    const done = { status: 'completed', resultRef: 'file-9', completedAt: after(20) };
    expect(taskAfter(leased, completed(20, 'file-9'))).toMatchObject(done);
  });
});
