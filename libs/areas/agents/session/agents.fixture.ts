import {
  AgentSessionEnded,
  AgentSessionId,
  AgentSessionStarted,
  AgentStepPlanned,
  AgentToolCalled,
  AgentToolReturned,
  AgentTranscriptReleased,
} from '#events/agents/agent-session.events.js';
import { UserId } from '#events/vocabulary.js';

export const NOW = '2026-11-22T06:00:00.000Z';
export const LATER = '2026-12-22T06:00:00.000Z';
export const SESSION = AgentSessionId.parse('01890a5d-ac96-474b-8cce-b302099a8057');
export const CALL = '5a8f2c4e-0b7d-5e61-9f3a-6d2b1c0e4f77';
export const ACCOUNT = '7';
export const USER = UserId.parse(7);

export const partOf = (digit: string) => ({ address: digit.repeat(64), bytes: 9 });

const ofSession = { sessionId: SESSION, accountId: ACCOUNT };

export const started = AgentSessionStarted.of({
  ...ofSession,
  userId: USER,
  goal: partOf('a'),
  plannerModel: 'acme/planner',
  tools: ['calculator'],
  stepsMax: 2,
  tokensMax: 1_000,
  holdId: '7b9e4d10-3c52-5a8b-8d6f-2e1c0a9b4d33',
  held: [
    { meter: 'input_tokens', quantity: 1_000, unitPriceMicroUsd: '1000000', perUnits: 1_000_000 },
    { meter: 'output_tokens', quantity: 200, unitPriceMicroUsd: '2000000', perUnits: 1_000_000 },
  ],
  rateCardVersion: 1,
  heldUntil: '2026-11-22T06:55:00.000Z',
  startedAt: NOW,
});

export const planned = (
  step: number,
  action: AgentStepPlanned['data']['action'],
  more: Partial<AgentStepPlanned['data']> = {},
) =>
  AgentStepPlanned.of({
    ...ofSession,
    step,
    action,
    tool: action === 'tool' ? 'calculator' : null,
    callId: action === 'tool' ? CALL : null,
    plan: partOf('b'),
    usage: { promptTokens: 100, completionTokens: 10, source: 'provider' },
    used: [
      { meter: 'input_tokens', quantity: 100, rig: 'scripted' },
      { meter: 'output_tokens', quantity: 10, rig: 'scripted' },
    ],
    rig: 'scripted',
    modelAnswered: null,
    plannedAt: NOW,
    ...more,
  });

export const called = AgentToolCalled.of({
  ...ofSession,
  step: 1,
  tool: 'calculator',
  callId: CALL,
  held: [],
  calledAt: NOW,
});

export const returned = (executed = true, more: Partial<AgentToolReturned['data']> = {}) =>
  AgentToolReturned.of({
    ...ofSession,
    step: 1,
    tool: 'calculator',
    callId: CALL,
    executed,
    outcome: executed ? 'succeeded' : 'failed',
    code: executed ? null : 'invalid_input',
    observation: partOf('c'),
    used: [],
    counters: {},
    returnedAt: NOW,
    ...more,
  });

export const endedAs = (status: AgentSessionEnded['data']['status'], reason: string) =>
  AgentSessionEnded.of({ ...ofSession, status, reason, endedAt: NOW, transcriptUntil: LATER });

export const released = AgentTranscriptReleased.of({ ...ofSession, releasedAt: LATER });
