import {
  AgentSessionEnded,
  type AgentSessionEvent,
  AgentSessionStarted,
  AgentStepPlanned,
  AgentToolCalled,
  AgentToolReturned,
  AgentTranscriptReleased,
} from '#events/agents/agent-session.events.js';
import { type Decider } from '#platform/kernel/decider.js';
import { rejectAgents } from '../agents.errors.js';
import {
  type AgentSessionState,
  evolve,
  initialState,
  isDone,
  type StartedSession,
  tokensOf,
} from './agent-session.state.js';

type Of<Data> = Omit<Data, 'accountId'>;

export type AgentSessionCommand =
  | { readonly type: 'StartSession'; readonly data: AgentSessionStarted['data'] }
  | { readonly type: 'RecordPlan'; readonly data: Of<AgentStepPlanned['data']> }
  | { readonly type: 'RecordCall'; readonly data: Of<AgentToolCalled['data']> }
  | { readonly type: 'RecordReturn'; readonly data: Of<AgentToolReturned['data']> }
  | { readonly type: 'EndSession'; readonly data: Of<AgentSessionEnded['data']> }
  | { readonly type: 'ReleaseTranscript'; readonly data: Of<AgentTranscriptReleased['data']> };

const planned = (data: Of<AgentStepPlanned['data']>, state: StartedSession) => {
  const { started, steps } = state;
  const last = steps.at(-1);
  const isNext = data.step === steps.length + 1 && (last === undefined || isDone(last));
  // Another attempt has planned this step: its plan counts.
  if (!isNext || last?.planned.action === 'answer') return [];
  if (data.step > started.stepsMax) {
    return rejectAgents('agent_budget_exceeded', `the session has ${started.stepsMax} steps`);
  }
  const { promptTokens, completionTokens } = data.usage;
  if (tokensOf(state) + promptTokens + completionTokens > started.tokensMax) {
    return rejectAgents('agent_budget_exceeded', `the session has ${started.tokensMax} tokens`);
  }
  return [AgentStepPlanned.of({ ...data, accountId: started.accountId })];
};

const openCall = ({ steps }: StartedSession, callId: string) => {
  const last = steps.at(-1);
  return last?.planned.callId === callId && last.returned === null ? last : undefined;
};

const ofRunning = (
  command: Exclude<AgentSessionCommand, { type: 'StartSession' | 'ReleaseTranscript' }>,
  state: StartedSession,
): readonly AgentSessionEvent[] => {
  const { accountId } = state.started;
  switch (command.type) {
    case 'RecordPlan':
      return planned(command.data, state);
    case 'RecordCall': {
      const call = openCall(state, command.data.callId);
      return call?.called === null ? [AgentToolCalled.of({ ...command.data, accountId })] : [];
    }
    case 'RecordReturn': {
      const call = openCall(state, command.data.callId);
      // A call is in the log before its work; only a rejected one returns without it.
      const isKnown = call && (call.called !== null || !command.data.executed);
      return isKnown ? [AgentToolReturned.of({ ...command.data, accountId })] : [];
    }
    case 'EndSession':
      return [AgentSessionEnded.of({ ...command.data, accountId })];
  }
};

/** A repeated command, and one that comes after the end, leads to nothing. */
const decide = (
  command: AgentSessionCommand,
  state: AgentSessionState,
): readonly AgentSessionEvent[] => {
  if (command.type === 'StartSession') {
    return state.status === 'absent' ? [AgentSessionStarted.of(command.data)] : [];
  }
  if (state.status === 'absent') {
    return rejectAgents('agent_session_not_found', 'there is no agent session with this id');
  }
  if (command.type === 'ReleaseTranscript') {
    const { accountId } = state.started;
    const isDue = state.status === 'ended' && !state.isReleased;
    return isDue ? [AgentTranscriptReleased.of({ ...command.data, accountId })] : [];
  }
  return state.status === 'running' ? ofRunning(command, state) : [];
};

/** One session: each step is planned once, each call returns once, and it ends once. */
export const agentSessionDecider: Decider<
  AgentSessionCommand,
  AgentSessionState,
  AgentSessionEvent
> = { initialState, decide, evolve };
