import {
  type AgentEnd,
  AgentSessionEnded,
  AgentSessionStarted,
  AgentStepPlanned,
  AgentToolReturned,
  AgentTranscriptReleased,
  type PlanUsage,
} from '#events/agents/agent-session.events.js';
import { AGENT_JOB } from '#events/agents/agent.job.js';
import { JobCancellationRequested } from '#events/jobs/job.events.js';
import { type DoubtedUsage, doubtsOf } from '#events/token-usage.vocabulary.js';
import { type Projection } from '#platform/kernel/projection.js';

type Event =
  | AgentSessionStarted
  | AgentStepPlanned
  | AgentToolReturned
  | AgentSessionEnded
  | AgentTranscriptReleased
  | JobCancellationRequested;

/** A step as lists show it; what was said is in the transcript. */
export interface ShownStep {
  readonly step: number;
  readonly action: AgentStepPlanned['data']['action'];
  readonly tool: string | null;
  /** Where the plan is in the transcript. */
  readonly plan: AgentStepPlanned['data']['plan'];
  readonly usage: PlanUsage;
  readonly rig: string;
  readonly plannedAt: string;
  /** Null until the tool has returned, and where none was called. */
  readonly returned: ReturnedCall | null;
}

export interface ReturnedCall extends DoubtedUsage {
  readonly executed: boolean;
  readonly outcome: AgentToolReturned['data']['outcome'];
  readonly code: string | null;
  readonly observation: AgentToolReturned['data']['observation'];
  readonly used: AgentToolReturned['data']['used'];
  readonly counters: AgentToolReturned['data']['counters'];
  readonly returnedAt: string;
}

/** A session as its account sees it. */
export interface AgentSessionDocument {
  /** Null until it has started. */
  readonly started: AgentSessionStarted['data'] | null;
  readonly steps: readonly ShownStep[];
  readonly cancellationRequestedAt: string | null;
  readonly end: {
    readonly status: AgentEnd;
    readonly reason: string;
    readonly endedAt: string;
  } | null;
  readonly transcriptReleasedAt: string | null;
}

const planned = ({ data }: AgentStepPlanned): ShownStep => {
  const { step, action, tool, plan, usage, rig, plannedAt } = data;
  return { step, action, tool, plan, usage, rig, plannedAt, returned: null };
};

const withReturn = (
  steps: readonly ShownStep[],
  { data }: AgentToolReturned,
): readonly ShownStep[] => {
  const { executed, outcome, code, observation, used, counters, returnedAt } = data;
  const work = { used, counters, ...doubtsOf([data]) };
  const returned = { executed, outcome, code, observation, ...work, returnedAt };
  return steps.map((one) => (one.step === data.step ? { ...one, returned } : one));
};

const project = (event: Event, document: AgentSessionDocument): AgentSessionDocument | null => {
  const { type, data } = event;
  if (type === 'AgentSessionStarted') return { ...document, started: data };
  if (document.started === null) return null;
  switch (type) {
    case 'AgentStepPlanned':
      return { ...document, steps: [...document.steps, planned(event)] };
    case 'AgentToolReturned':
      return { ...document, steps: withReturn(document.steps, event) };
    case 'JobCancellationRequested':
      return { ...document, cancellationRequestedAt: data.requestedAt };
    case 'AgentSessionEnded': {
      const { status, reason, endedAt } = data;
      return { ...document, end: { status, reason, endedAt } };
    }
    case 'AgentTranscriptReleased':
      return { ...document, transcriptReleasedAt: data.releasedAt };
  }
};

const keys = ({ data }: Event): readonly string[] => {
  if ('sessionId' in data) return [data.sessionId];
  return data.type === AGENT_JOB ? [data.jobId] : [];
};

/** How far is an agent session, and what did it do? */
export const agentSessions: Projection<Event, AgentSessionDocument> = {
  name: 'agent-sessions',
  version: 1,
  on: {
    AgentSessionStarted,
    AgentStepPlanned,
    AgentToolReturned,
    AgentSessionEnded,
    AgentTranscriptReleased,
    JobCancellationRequested,
  },
  keys,
  initial: () => ({
    started: null,
    steps: [],
    cancellationRequestedAt: null,
    end: null,
    transcriptReleasedAt: null,
  }),
  project,
};
