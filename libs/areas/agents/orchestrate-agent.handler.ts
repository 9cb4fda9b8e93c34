import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { labelsOf } from '#events/hold.vocabulary.js';
import {
  AGENT_TOOLS_MAX,
  AgentSessionId,
  type AgentSessionStarted,
} from '#events/agents/agent-session.events.js';
import { JobId } from '#events/jobs/job.events.js';
import { UserId } from '#events/vocabulary.js';
import { Jobs } from '#platform/jobs/jobs.port.js';
import { type Clock } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { ofModel } from '#platform/ledger/price-card.js';
import { type CommandContext, followUp } from '#platform/runtime/commands/command-context.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { ToolError } from '#platform/tools/tool.js';
import { agentJob, QUEUE_MS_MAX, RUN_MS_MAX } from './agent.job.js';
import { AgentTools } from './agent-tools.js';
import { type AgentsErrorCode, rejectAgents } from './agents.errors.js';
import { AGENT_SETTINGS, type AgentSettings } from './agents.settings.js';
import { type PlannerModel, Planners } from './planning/planners.port.js';
import { AgentStreams } from './session/agent-streams.js';
import { SessionMoney } from './session/session-money.js';
import { Transcripts } from './session/transcript.js';

/** The hold outlives the longest session by this: time to charge it. */
const SETTLE_MS = 15 * 60_000;

export interface AgentOrder {
  readonly accountId: string;
  readonly userId: number;
  readonly goal: string;
  readonly plannerModel: string;
  readonly stepsMax: number;
  readonly tokensMax: number;
  /** The names of the tools that the planner may call; null for all. */
  readonly tools: readonly string[] | null;
}

/**
 * Holds the worst case of the planner and begins the session. The id of the request becomes the id
 * of the session and of its job: a repetition is the same session.
 */
export class OrchestrateAgentCommand extends Command<AgentSessionId> {
  constructor(
    readonly order: AgentOrder,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(OrchestrateAgentCommand)
export class OrchestrateAgentHandler implements ICommandHandler<OrchestrateAgentCommand> {
  constructor(
    private readonly planners: Planners,
    private readonly tools: AgentTools,
    private readonly transcripts: Transcripts,
    private readonly money: SessionMoney,
    private readonly jobs: Jobs,
    private readonly streams: AgentStreams,
    @Inject(AGENT_SETTINGS) private readonly settings: AgentSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * @throws DomainError `agent_planner_not_found`, `agent_tool_unknown`, `insufficient_balance`,
   *   `budget_exceeded`, `too_many_jobs`
   */
  async execute({ order, context }: OrchestrateAgentCommand): Promise<AgentSessionId> {
    const sessionId = AgentSessionId.parse(context.requestId);
    // A repeated request continues the session of the first one, at its instant and prices.
    const known = await this.streams.stateOf(sessionId);
    if (known.status !== 'absent') return sessionId;
    const started = await this.#started(sessionId, order);
    await this.money.place(started, followUpOf(context, `hold ${started.startedAt}`));
    if (await this.#submits(started, context)) {
      await this.streams.run({ type: 'StartSession', data: started }, context);
    }
    return sessionId;
  }

  async #started(
    sessionId: AgentSessionId,
    { goal, userId, accountId, ...order }: AgentOrder,
  ): Promise<AgentSessionStarted['data']> {
    const now = this.clock.now();
    const startedAt = new Date(now).toISOString();
    const model = this.planners.find(order.plannerModel, now) ?? unknownPlanner(order.plannerModel);
    const tools = await this.#toolsOf(order.tools, accountId);
    const part = await this.transcripts.put(userId, { goal });
    return {
      sessionId,
      accountId,
      userId: UserId.parse(userId),
      goal: part,
      plannerModel: model.id,
      tools: [...tools],
      stepsMax: order.stepsMax,
      tokensMax: order.tokensMax,
      held: [...ofModel(model.id, model.tariff.held(this.#worstCase(model, order)))],
      rateCardVersion: model.tariff.rateCardVersion,
      // A request that is repeated after a crash is another order to the ledger.
      holdId: derivedId(`hold ${startedAt}`, sessionId),
      heldUntil: new Date(now + QUEUE_MS_MAX + RUN_MS_MAX + SETTLE_MS).toISOString(),
      startedAt,
    };
  }

  /** All tokens may be input tokens. The steps limit the output tokens further. */
  #worstCase(
    { outputTokensMax }: PlannerModel,
    { tokensMax, stepsMax }: Pick<AgentOrder, 'tokensMax' | 'stepsMax'>,
  ) {
    const ofStep = Math.min(outputTokensMax, this.settings.planTokensMax);
    return { inputTokens: tokensMax, outputTokens: Math.min(tokensMax, ofStep * stepsMax) };
  }

  async #toolsOf(names: AgentOrder['tools'], accountId: string): Promise<readonly string[]> {
    try {
      const tools =
        names === null
          ? await this.tools.all(accountId)
          : await this.tools.demand(names, accountId);
      return [...new Set(tools.map(({ name }) => name))].slice(0, AGENT_TOOLS_MAX);
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      return rejectAgents('agent_tool_unknown', error.message);
    }
  }

  /** False when an attempt of this request that was cut off has submitted the session already. */
  async #submits(started: AgentSessionStarted['data'], context: CommandContext): Promise<boolean> {
    const { sessionId, accountId, plannerModel, stepsMax, tokensMax } = started;
    const summary = { planner_model: plannerModel, max_steps: stepsMax, max_tokens: tokensMax };
    const jobId = JobId.parse(sessionId);
    try {
      const order = { jobId, accountId, input: started, summary, hold: null };
      await this.jobs.submit(agentJob, order, context);
      return true;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      // A rejected job does not run, so its hold is released.
      await this.money.free(started, followUpOf(context, `free ${started.startedAt}`));
      if (error.code === 'job_conflict') return false;
      throw error;
    }
  }
}

const followUpOf = (
  { requestId: id, correlationId, actor, ...labels }: CommandContext,
  what: string,
): CommandContext => ({
  ...followUp({ id, correlationId }, what, actor),
  ...labelsOf(labels),
});

const unknownPlanner = (model: string): never => {
  const detail = `the model ${model} is not a chat model; see GET /v1/models`;
  throw new DomainError<AgentsErrorCode>('agent_planner_not_found', detail);
};
