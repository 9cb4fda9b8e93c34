import { describe, expect, it } from '@jest/globals';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { HANDOFFS_MAX, meshTaskDecider, type MeshTaskCommand } from './mesh-task.decider.js';
import {
  after,
  completed,
  expired,
  HANDOFF_ID,
  handedOff,
  handoff,
  lease,
  leased,
  released,
  renewed,
  TASK,
} from './mesh-task.fixture.js';

const task = deciderSpecOf(meshTaskDecider);

const renew = (seconds: number, agent = 'ann', token = 1): MeshTaskCommand => ({
  type: 'RenewLease',
  data: { ...lease(agent, token), at: after(seconds) },
});
const release = (seconds: number, agent = 'ann', token = 1): MeshTaskCommand => ({
  type: 'ReleaseLease',
  data: { ...lease(agent, token), at: after(seconds) },
});
const complete = (seconds: number, agent = 'ann', token = 1): MeshTaskCommand => ({
  type: 'CompleteTask',
  data: { ...lease(agent, token), resultRef: null, at: after(seconds) },
});
const expire = (seconds: number, token = 1): MeshTaskCommand => ({
  type: 'ExpireLease',
  data: { ...TASK, token, at: after(seconds) },
});

describe('a handoff', () => {
  it('creates a task with token 1', () => {
    task
      .given()
      .when(handoff('ann', { handoffId: HANDOFF_ID }))
      .then(leased);
  });

  it('hands a task on by the holder, under the next token', () => {
    const given = { fromAgent: 'ann', token: 1, contextRef: 'file-1', at: after(10) };
    const event = { fromAgent: 'ann', token: 2, because: 'handed_off', contextRef: 'file-1' };
    task
      .given(leased)
      .when(handoff('bob', given))
      .then(handedOff('bob', 10, event as Parameters<typeof handedOff>[2]));
  });

  it('takes over a task whose lease has ended by the clock, and not a moment before', () => {
    const takenOver = handedOff('bob', 300, { token: 2, because: 'expired' });
    task
      .given(leased)
      .when(handoff('bob', { at: after(300) }))
      .then(takenOver);
    task
      .given(leased)
      .when(handoff('bob', { at: after(299.999) }))
      .thenThrows('mesh_lease_held');
  });

  it('takes a task whose lease is recorded as expired or released', () => {
    task
      .given(leased, expired(301))
      .when(handoff('bob', { at: after(310) }))
      .then(handedOff('bob', 310, { token: 2, because: 'expired' }));
    task
      .given(leased, released(20))
      .when(handoff('bob', { at: after(30) }))
      .then(handedOff('bob', 30, { token: 2, because: 'released' }));
  });

  it('says who has the task and until when', () => {
    const state = [leased].reduce(meshTaskDecider.evolve, meshTaskDecider.initialState);
    const decide = () => meshTaskDecider.decide(handoff('bob', { at: after(1) }), state);
    expect(decide).toThrow(DomainError);
    expect(decide).toThrow(
      expect.objectContaining({
        metadata: { holder: 'ann', lease_expires_at: after(300) },
      }),
    );
  });

  it('is rejected with a token that is not the current one, or of another agent', () => {
    const second = handedOff('bob', 10, { token: 2, because: 'handed_off' });
    const at = after(11);
    task
      .given(leased, second)
      .when(handoff('cid', { handoffId: HANDOFF_ID, fromAgent: 'ann', token: 1, at }))
      .thenThrows('mesh_token_stale');
    task
      .given(leased, second)
      .when(handoff('cid', { handoffId: HANDOFF_ID, fromAgent: 'ann', token: 2, at }))
      .thenThrows('mesh_not_holder');
    task
      .given(leased)
      .when(handoff('cid', { token: 1, at }))
      .thenThrows('mesh_not_holder');
  });

  it('is rejected with the token of an ended lease, though the task is free', () => {
    task
      .given(leased)
      .when(handoff('bob', { fromAgent: 'ann', token: 1, at: after(300) }))
      .thenThrows('mesh_lease_expired');
    task
      .given(leased, released(5))
      .when(handoff('bob', { fromAgent: 'ann', token: 1, at: after(6) }))
      .thenThrows('mesh_lease_released');
  });

  it('is rejected for an unknown task with a token, and for a completed task', () => {
    task
      .given()
      .when(handoff('bob', { token: 1, fromAgent: 'ann' }))
      .thenThrows('mesh_task_not_found');
    task
      .given(leased, completed(10))
      .when(handoff('bob', { at: after(400) }))
      .thenThrows('mesh_task_completed');
  });

  it('is nothing new when the same request comes again', () => {
    task
      .given(leased)
      .when(handoff('ann', { handoffId: HANDOFF_ID, at: after(1) }))
      .thenNothing();
  });

  it('is rejected when the task was handed off too often', () => {
    const last = handedOff('ann', 0, { handoffId: HANDOFF_ID, token: HANDOFFS_MAX });
    const before = handedOff('ann', 0, { handoffId: HANDOFF_ID, token: HANDOFFS_MAX - 1 });
    const next = handoff('bob', { at: after(300) });
    task.given(last).when(next).thenThrows('mesh_handoffs_exhausted');
    task
      .given(before)
      .when(next)
      .then(handedOff('bob', 300, { token: HANDOFFS_MAX, because: 'expired' }));
  });
});

describe('a heartbeat', () => {
  it('renews the lease once a third of its time has passed', () => {
    task.given(leased).when(renew(99.999)).thenNothing();
    task.given(leased).when(renew(100)).then(renewed(100, 400));
    task.given(leased, renewed(100, 400)).when(renew(199)).thenNothing();
    task.given(leased, renewed(100, 400)).when(renew(200)).then(renewed(200, 500));
  });

  it('renews no lease that has ended, that was handed on, or of another agent', () => {
    task.given(leased).when(renew(300)).thenThrows('mesh_lease_expired');
    task.given(leased, expired(301)).when(renew(302)).thenThrows('mesh_lease_expired');
    task.given(leased, released(5)).when(renew(6)).thenThrows('mesh_lease_released');
    task.given(leased).when(renew(150, 'bob')).thenThrows('mesh_not_holder');
    task
      .given(leased)
      .when(renew(150, 'ann', 2))
      .thenThrows('mesh_token_stale');
    task.given(leased, completed(5)).when(renew(6)).thenThrows('mesh_task_completed');
    task.given().when(renew(0)).thenThrows('mesh_task_not_found');
    const second = handedOff('bob', 10, { token: 2, because: 'handed_off' });
    task.given(leased, second).when(renew(11)).thenThrows('mesh_token_stale');
  });

  it('renews up to a day after the handoff, and no further', () => {
    const nearly = renewed(86_000, 86_300);
    task.given(leased, nearly).when(renew(86_150)).then(renewed(86_150, 86_400));
    task.given(leased, nearly, renewed(86_150, 86_400)).when(renew(86_399)).thenNothing();
  });
});

describe('an end', () => {
  it('is a completion by the holder, once', () => {
    task.given(leased).when(complete(299.999)).then(completed(299.999));
    task.given(leased, completed(10)).when(complete(500)).thenNothing();
    task.given(leased, completed(10)).when(complete(11, 'bob')).thenThrows('mesh_task_completed');
  });

  it('is no completion under a token that is not valid any more', () => {
    const second = handedOff('bob', 300, { token: 2, because: 'expired' });
    task.given(leased).when(complete(300)).thenThrows('mesh_lease_expired');
    task.given(leased, second).when(complete(301)).thenThrows('mesh_token_stale');
    task.given(leased, released(5)).when(complete(6)).thenThrows('mesh_lease_released');
    task.given(leased).when(complete(1, 'bob')).thenThrows('mesh_not_holder');
  });

  it('is a release by the holder, once', () => {
    task.given(leased).when(release(10)).then(released(10));
    task.given(leased, released(10)).when(release(11)).thenNothing();
    task.given(leased).when(release(300)).thenThrows('mesh_lease_expired');
    task.given(leased, completed(10)).when(release(11)).thenThrows('mesh_task_completed');
  });

  it('is an expiry that the clock has decided, unless the lease changed meanwhile', () => {
    task.given(leased).when(expire(300)).then(expired(300));
    task.given(leased).when(expire(299.999)).thenNothing();
    task.given(leased, renewed(100, 400)).when(expire(300)).thenNothing();
    task.given(leased, released(5)).when(expire(300)).thenNothing();
    task.given(leased, expired(300)).when(expire(301)).thenNothing();
    const second = handedOff('bob', 300, { token: 2, because: 'expired' });
    task.given(leased, second).when(expire(700)).thenNothing();
  });
});

describe('time', () => {
  it('does not go back in a stream that processes with different clocks write', () => {
    task.given(leased, renewed(200, 500)).when(complete(-60)).then(completed(200));
    task
      .given(leased, expired(301))
      .when(handoff('bob', { at: after(100) }))
      .then(handedOff('bob', 301, { token: 2, because: 'expired' }));
  });
});
