import {
  type AgentEnd,
  AgentSessionEnded,
  AgentSessionStarted,
  AgentStepPlanned,
  AgentToolReturned,
  AgentTranscriptReleased,
  type TranscriptPart,
} from '#events/agents/agent-session.events.js';
import { AGENT_JOB } from '#events/agents/agent.job.js';
import { JobCancelled, JobFailed, JobTimedOut } from '#events/jobs/job.events.js';
import { type Saga, type SagaAction } from '#platform/kernel/saga.js';

interface OfSession {
  readonly sessionId: string;
}

/** A session whose job has ended before it did. */
export interface BrokenSession extends OfSession {
  readonly status: Extract<AgentEnd, 'failed' | 'cancelled'>;
  readonly reason: string;
  readonly endedAt: string;
}

export interface KeptPart extends OfSession {
  readonly userId: number;
  readonly part: TranscriptPart;
}

type AgentLifeCommand =
  | { readonly type: 'KeepTranscriptPart'; readonly data: KeptPart }
  | { readonly type: 'EndAgentSession'; readonly data: BrokenSession }
  | { readonly type: 'ChargeAgentSession'; readonly data: OfSession }
  | { readonly type: 'ReleaseAgentTranscript'; readonly data: OfSession };

type LifeEvent =
  | AgentSessionStarted
  | AgentStepPlanned
  | AgentToolReturned
  | AgentSessionEnded
  | AgentTranscriptReleased
  | JobFailed
  | JobCancelled
  | JobTimedOut;

interface AgentProcess {
  /** Null before the start. */
  readonly userId: number | null;
}

type Action = SagaAction<AgentLifeCommand>;

const TIMER = 'transcript';

const keyOf = ({ data }: LifeEvent): string => ('sessionId' in data ? data.sessionId : data.jobId);

const keep = (sessionId: string, userId: number | null, part: TranscriptPart): readonly Action[] =>
  userId === null
    ? []
    : [
        {
          kind: 'command',
          command: { type: 'KeepTranscriptPart', data: { sessionId, userId, part } },
        },
      ];

const end = (
  sessionId: string,
  status: BrokenSession['status'],
  reason: string,
  endedAt: string,
): readonly Action[] => {
  const data = { sessionId, status, reason, endedAt };
  return [{ kind: 'command', command: { type: 'EndAgentSession', data } }];
};

const react = (event: LifeEvent, { userId }: AgentProcess): readonly Action[] => {
  const { type, data } = event;
  // Jobs of other types have no session.
  if (!('sessionId' in data) && (data.type !== AGENT_JOB || userId === null)) return [];
  switch (type) {
    case 'AgentSessionStarted':
      return keep(data.sessionId, data.userId, data.goal);
    case 'AgentStepPlanned':
      return keep(data.sessionId, userId, data.plan);
    case 'AgentToolReturned':
      return keep(data.sessionId, userId, data.observation);
    case 'JobFailed':
      return end(data.jobId, 'failed', data.code, data.failedAt);
    case 'JobCancelled':
      return end(data.jobId, 'cancelled', 'cancelled', data.cancelledAt);
    case 'JobTimedOut':
      return end(data.jobId, 'failed', 'timed_out', data.timedOutAt);
    case 'AgentSessionEnded': {
      const { sessionId, transcriptUntil: dueAt } = data;
      const release = { type: 'ReleaseAgentTranscript', data: { sessionId } } as const;
      return [
        { kind: 'command', command: { type: 'ChargeAgentSession', data: { sessionId } } },
        { kind: 'schedule', timer: TIMER, dueAt, command: release },
      ];
    }
    case 'AgentTranscriptReleased':
      return [];
  }
};

const evolve = (state: AgentProcess, { type, data }: LifeEvent): AgentProcess | null => {
  if (type === 'AgentSessionStarted') return { userId: data.userId };
  return type === 'AgentTranscriptReleased' || state.userId === null ? null : state;
};

/** Keeps the transcript of a session, charges it at its end, and ends it with its job. */
export const agentLifeSaga: Saga<LifeEvent, AgentProcess, AgentLifeCommand> = {
  name: 'agent-life',
  on: {
    AgentSessionStarted,
    AgentStepPlanned,
    AgentToolReturned,
    AgentSessionEnded,
    AgentTranscriptReleased,
    JobFailed,
    JobCancelled,
    JobTimedOut,
  },
  key: keyOf,
  initialState: { userId: null },
  evolve,
  react,
};
