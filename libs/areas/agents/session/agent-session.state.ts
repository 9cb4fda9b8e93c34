import {
  type AgentSessionEnded,
  type AgentSessionEvent,
  type AgentSessionStarted,
  type AgentStepPlanned,
  type AgentToolCalled,
  type AgentToolReturned,
} from '#events/agents/agent-session.events.js';

/** One step: its plan and, for a call, its hold and its result. */
export interface SessionStep {
  readonly planned: AgentStepPlanned['data'];
  readonly called: AgentToolCalled['data'] | null;
  readonly returned: AgentToolReturned['data'] | null;
}

export interface StartedSession {
  readonly status: 'running' | 'ended';
  readonly started: AgentSessionStarted['data'];
  readonly steps: readonly SessionStep[];
  readonly end: AgentSessionEnded['data'] | null;
  /** Whether the transcript is no longer kept. */
  readonly isReleased: boolean;
}

export type AgentSessionState = { readonly status: 'absent' } | StartedSession;

export const initialState: AgentSessionState = { status: 'absent' };

const withLast = (
  { steps, ...session }: StartedSession,
  callId: string,
  change: Partial<SessionStep>,
): StartedSession => {
  const known = steps.map((step) =>
    step.planned.callId === callId ? { ...step, ...change } : step,
  );
  return { ...session, steps: known };
};

export const evolve = (
  state: AgentSessionState,
  { type, data }: AgentSessionEvent,
): AgentSessionState => {
  if (type === 'AgentSessionStarted') {
    return { status: 'running', started: data, steps: [], end: null, isReleased: false };
  }
  if (state.status === 'absent') return state;
  switch (type) {
    case 'AgentStepPlanned': {
      const step = { planned: data, called: null, returned: null };
      return { ...state, steps: [...state.steps, step] };
    }
    case 'AgentToolCalled':
      return withLast(state, data.callId, { called: data });
    case 'AgentToolReturned':
      return withLast(state, data.callId, { returned: data });
    case 'AgentSessionEnded':
      return { ...state, status: 'ended', end: data };
    case 'AgentTranscriptReleased':
      return { ...state, isReleased: true };
  }
};

/** Whether nothing of the step is left to do. */
export const isDone = ({ planned, returned }: SessionStep): boolean =>
  planned.action !== 'tool' || returned !== null;

const TOKENS = /(^|_)tokens$/;

/** The tokens among the units: the quantities of all meters that count tokens. */
export const tokensIn = (
  units: readonly { readonly meter: string; readonly quantity: number }[],
): number =>
  units.reduce((sum, { meter, quantity }) => (TOKENS.test(meter) ? sum + quantity : sum), 0);

const tokensOfStep = ({ planned: { usage }, returned }: SessionStep): number =>
  usage.promptTokens + usage.completionTokens + tokensIn(returned?.used ?? []);

/** The tokens of the planner and of the tools that count some. */
export const tokensOf = ({ steps }: Pick<StartedSession, 'steps'>): number =>
  steps.reduce((sum, step) => sum + tokensOfStep(step), 0);

/** The next action of a session, derived from its events. */
export type NextMove =
  | { readonly kind: 'plan'; readonly step: number }
  | { readonly kind: 'call'; readonly step: SessionStep }
  | { readonly kind: 'end'; readonly status: 'completed' | 'budget_exhausted'; reason: string }
  | { readonly kind: 'nothing' };

export const nextMove = (state: AgentSessionState): NextMove => {
  if (state.status !== 'running') return { kind: 'nothing' };
  const { steps, started } = state;
  const last = steps.at(-1);
  if (last?.planned.action === 'answer') {
    return { kind: 'end', status: 'completed', reason: 'answered' };
  }
  if (last && !isDone(last)) return { kind: 'call', step: last };
  if (steps.length < started.stepsMax) return { kind: 'plan', step: steps.length + 1 };
  return { kind: 'end', status: 'budget_exhausted', reason: 'max_steps' };
};
