import { paidProcessContract } from '#platform/ledger/paid-work/paid-process.contract.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { type AgentSessionEvent } from '#events/agents/agent-session.events.js';
import { agentSessionDecider } from './agent-session.decider.js';
import { type AgentSessionState, type StartedSession } from './agent-session.state.js';
import { endedAs, NOW, planned, SESSION, started } from './agents.fixture.js';
import { SessionMoney } from './session-money.js';

const { holdId, held: lines } = started.data;
const context = contextOf(SESSION, 'saga:agents');
const stateOf = (...facts: readonly AgentSessionEvent[]): StartedSession => {
  const { evolve, initialState } = agentSessionDecider;
  return facts.reduce<AgentSessionState>(evolve, initialState) as StartedSession;
};
const step = planned(1, 'answer');

paidProcessContract('agent sessions', {
  hold: { holdId, lines },
  now: NOW,
  open: (processes, clock) => {
    const money = new SessionMoney(processes, clock);
    return {
      extend: () => {
        const call = { meter: 'knots', quantity: 5, unitPriceMicroUsd: '2', perUnits: 1 };
        return money.extend(stateOf(started), 1, [call], context);
      },
      end: (status) => {
        const facts = status === 'completed' ? [started, step] : [started];
        return money.charge(stateOf(...facts, endedAs(status, 'planner')), context);
      },
    };
  },
});
