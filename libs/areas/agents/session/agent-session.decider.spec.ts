import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type AgentSessionEvent } from '#events/agents/agent-session.events.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { type AgentSessionCommand, agentSessionDecider } from './agent-session.decider.js';
import { type AgentSessionState, nextMove, tokensOf } from './agent-session.state.js';
import {
  called,
  CALL,
  endedAs,
  LATER,
  NOW,
  planned,
  released,
  returned,
  SESSION,
  started,
} from './agents.fixture.js';

const session = deciderSpecOf(agentSessionDecider);

const start: AgentSessionCommand = { type: 'StartSession', data: started.data };
const plan = (event: ReturnType<typeof planned>): AgentSessionCommand => ({
  type: 'RecordPlan',
  data: event.data,
});
const call: AgentSessionCommand = { type: 'RecordCall', data: called.data };
const giveBack = (event = returned()): AgentSessionCommand => ({
  type: 'RecordReturn',
  data: event.data,
});
const end = (status: 'completed' | 'cancelled', reason: string): AgentSessionCommand => ({
  type: 'EndSession',
  data: { sessionId: SESSION, status, reason, endedAt: NOW, transcriptUntil: LATER },
});
const release: AgentSessionCommand = {
  type: 'ReleaseTranscript',
  data: { sessionId: SESSION, releasedAt: LATER },
};

describe('an agent session', () => {
  it('starts once', () => {
    session.given().when(start).then(started);
    session.given(started).when(start).thenNothing();
  });

  it('is planned step by step', () => {
    const first = planned(1, 'tool');
    session.given(started).when(plan(first)).then(first);
    session
      .given(started, first)
      .when(plan(planned(2, 'answer')))
      .thenNothing();
    const second = planned(2, 'answer');
    session.given(started, first, called, returned()).when(plan(second)).then(second);
  });

  it('keeps the first plan of a step that two attempts have planned', () => {
    const other = planned(1, 'answer', { rig: 'other' });
    session.given(started, planned(1, 'invalid')).when(plan(other)).thenNothing();
    session
      .given(started, planned(1, 'answer'))
      .when(plan(planned(2, 'answer')))
      .thenNothing();
  });

  it('never has more steps or tokens than its budget', () => {
    const [first, second] = [planned(1, 'invalid'), planned(2, 'invalid')];
    session
      .given(started, first, second)
      .when(plan(planned(3, 'answer')))
      .thenThrows('agent_budget_exceeded');
    const usage = { promptTokens: 880, completionTokens: 11, source: 'provider' } as const;
    session
      .given(started, first)
      .when(plan(planned(2, 'answer', { usage })))
      .thenThrows('agent_budget_exceeded');
    const fitting = planned(2, 'answer', { usage: { ...usage, completionTokens: 10 } });
    session.given(started, first).when(plan(fitting)).then(fitting);
  });

  it('has a call in the log before its result', () => {
    const facts = [started, planned(1, 'tool')];
    session
      .given(...facts)
      .when(giveBack())
      .thenNothing();
    session
      .given(...facts)
      .when(call)
      .then(called);
    session
      .given(...facts, called)
      .when(call)
      .thenNothing();
    session
      .given(...facts, called)
      .when(giveBack())
      .then(returned());
    session
      .given(...facts, called, returned())
      .when(giveBack())
      .thenNothing();
  });

  it('has the rejection of a call that was not made', () => {
    session
      .given(started, planned(1, 'tool'))
      .when(giveBack(returned(false)))
      .then(returned(false));
  });

  it('knows no call of another plan', () => {
    const other = { ...called.data, callId: '00000000-0000-5000-8000-000000000000' };
    session
      .given(started, planned(1, 'tool'))
      .when({ type: 'RecordCall', data: other })
      .thenNothing();
  });

  it('ends once, and nothing comes after', () => {
    const cancelled = endedAs('cancelled', 'cancelled');
    session.given(started).when(end('cancelled', 'cancelled')).then(cancelled);
    session.given(started, cancelled).when(end('completed', 'answered')).thenNothing();
    session
      .given(started, cancelled)
      .when(plan(planned(1, 'answer')))
      .thenNothing();
    session.given(started, planned(1, 'tool'), called, cancelled).when(giveBack()).thenNothing();
  });

  it('releases its transcript once, after its end', () => {
    const done = [started, planned(1, 'answer'), endedAs('completed', 'answered')];
    session
      .given(...done)
      .when(release)
      .then(released);
    session
      .given(...done, released)
      .when(release)
      .thenNothing();
    session.given(started).when(release).thenNothing();
  });

  it.each([plan(planned(1, 'answer')), call, giveBack(), end('completed', 'answered'), release])(
    'that does not exist takes no command',
    (command) => {
      session.given().when(command).thenThrows('agent_session_not_found');
    },
  );
});

const stateAfter = (...events: readonly AgentSessionEvent[]): AgentSessionState =>
  events.reduce(agentSessionDecider.evolve, agentSessionDecider.initialState);

describe('the next move of a session', () => {
  it.each<readonly [string, readonly AgentSessionEvent[], object]>([
    ['nothing before the start', [], { kind: 'nothing' }],
    ['a plan', [started], { kind: 'plan', step: 1 }],
    ['the call of the plan', [started, planned(1, 'tool')], { kind: 'call' }],
    ['the call again, after a crash', [started, planned(1, 'tool'), called], { kind: 'call' }],
    ['the next plan', [started, planned(1, 'tool'), called, returned()], { kind: 'plan', step: 2 }],
    ['another plan instead of an invalid one', [started, planned(1, 'invalid')], { step: 2 }],
    [
      'the end, with an answer',
      [started, planned(1, 'answer')],
      { kind: 'end', status: 'completed', reason: 'answered' },
    ],
    [
      'the end, without steps',
      [started, planned(1, 'invalid'), planned(2, 'invalid')],
      { kind: 'end', status: 'budget_exhausted', reason: 'max_steps' },
    ],
    ['nothing after the end', [started, endedAs('failed', 'x')], { kind: 'nothing' }],
  ])('is %s', (_, events, move) => {
    expect(nextMove(stateAfter(...events))).toMatchObject(move);
  });
});

describe('whatever two attempts write, in any order', () => {
  const step = fc.integer({ min: 1, max: 4 });
  const tokens = fc.integer({ min: 0, max: 700 });
  const action = fc.constantFrom('tool', 'answer', 'invalid');
  const commands = fc.array(
    fc.oneof(
      fc.tuple(step, action, tokens).map(([at, one, promptTokens]) => {
        const usage = { promptTokens, completionTokens: 5, source: 'provider' } as const;
        const id = one === 'tool' ? CALL.replace(/^./, String(at)) : null;
        return plan(planned(at, one, { usage, callId: id }));
      }),
      step.map((at): AgentSessionCommand => {
        const callId = CALL.replace(/^./, String(at));
        return { type: 'RecordCall', data: { ...called.data, step: at, callId } };
      }),
      fc.tuple(step, fc.boolean()).map(([at, executed]): AgentSessionCommand => {
        const callId = CALL.replace(/^./, String(at));
        return giveBack(returned(executed, { step: at, callId }));
      }),
      fc.constant(end('completed', 'answered')),
    ),
    { maxLength: 30 },
  );

  const logOf = (sequence: readonly AgentSessionCommand[]): readonly AgentSessionEvent[] =>
    sequence.reduce<readonly AgentSessionEvent[]>(
      (log, command) => {
        try {
          return [...log, ...agentSessionDecider.decide(command, stateAfter(...log))];
        } catch (error) {
          if (error instanceof DomainError) return log;
          throw error;
        }
      },
      [started],
    );

  it('each step is planned once, each call returns once, and both budgets hold', () => {
    fc.assert(
      fc.property(commands, (sequence) => {
        const log = logOf(sequence);
        const keys = log.map(({ type, data }) => `${type} ${'step' in data ? data.step : ''}`);
        expect(new Set(keys).size).toBe(keys.length);
        const state = stateAfter(...log);
        if (state.status === 'absent') throw new Error('the session is gone');
        expect(state.steps.length).toBeLessThanOrEqual(2);
        expect(tokensOf(state)).toBeLessThanOrEqual(1_000);
        for (const { called: before, returned: after } of state.steps) {
          if (after?.executed) expect(before).not.toBeNull();
        }
      }),
    );
  });
});
