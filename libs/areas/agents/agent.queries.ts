import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { AgentSessionId } from '#events/agents/agent-session.events.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import { maySee, type Reader } from '#platform/runtime/projections/reader.js';
import {
  type AgentSessionDocument,
  agentSessions,
  type ShownStep,
} from '#projections/agents/agent-sessions.projection.js';
import {
  agentSessionOfAccountKey,
  agentSessionsOfAccount,
  agentSessionsPrefix,
} from '#projections/agents/sessions-of-account.projection.js';
import { noSession } from './session/agent-access.js';
import { rejectAgents } from './agents.errors.js';
import { Goal, Observation, Plan, Transcripts } from './session/transcript.js';

export type StartedDocument = AgentSessionDocument & {
  readonly started: NonNullable<AgentSessionDocument['started']>;
};

/** A session with its goal and its answer; each is null once its content is deleted. */
export interface ShownSession {
  readonly document: StartedDocument;
  readonly goal: string | null;
  /** Null without an answer, too. */
  readonly finalOutput: string | null;
}

/** A step with its plan and its observation. */
export interface OpenedStep {
  readonly step: ShownStep;
  readonly plan: Plan | null;
  readonly observation: Observation | null;
}

export interface OpenedSession extends ShownSession {
  readonly steps: readonly OpenedStep[];
}

export interface AgentPage {
  /** Newest first. */
  readonly sessions: readonly ShownSession[];
  readonly nextAfter: string | null;
}

export class AgentSessionQuery extends Query<OpenedSession> {
  constructor(
    /** As a caller sent it. */
    readonly sessionId: string,
    readonly reader: Reader,
  ) {
    super();
  }
}

@QueryHandler(AgentSessionQuery)
export class AgentSessionQueryHandler implements IQueryHandler<AgentSessionQuery> {
  constructor(
    @Inject(PROJECTIONS) private readonly projections: Projections,
    private readonly transcripts: Transcripts,
  ) {}

  /** @throws DomainError `agent_session_not_found`, for the session of another account too */
  async execute({ sessionId, reader }: AgentSessionQuery): Promise<OpenedSession> {
    const id = AgentSessionId.safeParse(sessionId);
    if (!id.success) return noSession();
    const { document } = await this.projections.get(agentSessions, id.data);
    if (!isStarted(document) || !maySee(reader, document.started.accountId)) return noSession();
    const { userId } = document.started;
    const steps = await Promise.all(
      document.steps.map((step) => openedStep(userId, step, this.transcripts)),
    );
    return { ...(await shown(document, this.transcripts)), steps };
  }
}

export class AgentSessionsQuery extends Query<AgentPage> {
  constructor(
    readonly accountId: string,
    readonly limit: number,
    /** The session after which the page begins; null for the newest. */
    readonly after: string | null,
  ) {
    super();
  }
}

@QueryHandler(AgentSessionsQuery)
export class AgentSessionsQueryHandler implements IQueryHandler<AgentSessionsQuery> {
  constructor(
    @Inject(PROJECTIONS) private readonly projections: Projections,
    private readonly transcripts: Transcripts,
  ) {}

  /** @throws DomainError `agent_cursor_unknown` */
  async execute({ accountId, limit, after }: AgentSessionsQuery): Promise<AgentPage> {
    const before = after === null ? {} : { before: await this.#keyOf(accountId, after) };
    const { documents } = await this.projections.list(agentSessionsOfAccount, {
      prefix: agentSessionsPrefix(accountId),
      direction: 'backwards',
      limit: limit + 1,
      ...before,
    });
    const ids = documents.slice(0, limit).map(({ document }) => document.sessionId);
    const found = await Promise.all(ids.map((id) => this.projections.get(agentSessions, id)));
    const started = found.map(({ document }) => document).filter(isStarted);
    const sessions = await Promise.all(started.map((one) => shown(one, this.transcripts)));
    return { sessions, nextAfter: documents.length > limit ? (ids.at(-1) ?? null) : null };
  }

  async #keyOf(accountId: string, sessionId: string): Promise<string> {
    const { document } = await this.projections.get(agentSessions, sessionId);
    if (document?.started?.accountId === accountId) {
      return agentSessionOfAccountKey(accountId, document.started.startedAt, sessionId);
    }
    return rejectAgents('agent_cursor_unknown', 'after names no agent session of the account');
  }
}

const isStarted = (document: AgentSessionDocument | undefined): document is StartedDocument =>
  document !== undefined && document.started !== null;

const shown = async (
  document: StartedDocument,
  transcripts: Transcripts,
): Promise<ShownSession> => {
  const { userId, goal } = document.started;
  const last = document.steps.at(-1);
  const plan = last?.action === 'answer' ? await transcripts.find(userId, last.plan, Plan) : null;
  return {
    document,
    goal: (await transcripts.find(userId, goal, Goal))?.goal ?? null,
    finalOutput: plan?.action === 'answer' ? plan.answer : null,
  };
};

const openedStep = async (
  userId: number,
  step: ShownStep,
  transcripts: Transcripts,
): Promise<OpenedStep> => ({
  step,
  plan: await transcripts.find(userId, step.plan, Plan),
  observation:
    step.returned && (await transcripts.find(userId, step.returned.observation, Observation)),
});
