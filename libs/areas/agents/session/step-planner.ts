import { Inject, Injectable } from '@nestjs/common';
import { type AgentStepPlanned, type PlanUsage } from '#events/agents/agent-session.events.js';
import { type UsageDoubt } from '#events/token-usage.vocabulary.js';
import { type Usage, usageWithin } from '#platform/chats/chat-usage.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { AGENT_SETTINGS, type AgentSettings } from '../agents.settings.js';
import { AgentTools } from '../agent-tools.js';
import {
  laterMessages,
  planBody,
  planOf,
  type PlannedTool,
  type PlanQuestion,
} from '../planning/planner.protocol.js';
import { type PlannerAnswer, type PlannerModel, Planners } from '../planning/planners.port.js';
import { type StartedSession, tokensOf } from './agent-session.state.js';
import { failureCode } from './failure-code.js';
import { type SessionAttempt } from './session-attempt.js';
import { SessionMemory } from './session-memory.js';

/** An answer needs as many tokens at least; with fewer left, the budget is exhausted. */
export const ANSWER_TOKENS_MIN = 16;

type Planned = Omit<AgentStepPlanned['data'], 'accountId'>;

/** A plan, or why there is none. */
export type Planning =
  | { readonly kind: 'planned'; readonly data: Planned }
  | {
      readonly kind: 'ended';
      readonly status: 'budget_exhausted' | 'failed';
      readonly reason: string;
    };

/** The rigs of the planner do not answer now; another attempt of the job may find one. */
export class PlannerUnavailableError extends Error {
  override readonly name = 'PlannerUnavailableError';
  readonly code = 'planner_unavailable';
}

/** The minimum in most languages and tokenizers. It serves an estimate, never a charge. */
const BYTES_PER_TOKEN = 3;

interface Bounds {
  /** The upper bound for a prompt of these bytes. */
  readonly promptTokensMax: number;
  readonly outputTokens: number;
  /** Of the budget. */
  readonly left: number;
}

/** Asks the planner for the next step, within the tokens that are left. */
@Injectable()
export class StepPlanner {
  constructor(
    private readonly planners: Planners,
    private readonly tools: AgentTools,
    private readonly memory: SessionMemory,
    @Inject(AGENT_SETTINGS) private readonly settings: AgentSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws PlannerUnavailableError */
  async plan(session: SessionAttempt, state: StartedSession, step: number): Promise<Planning> {
    const { plannerModel, tools: names, accountId, userId, sessionId } = state.started;
    const model = this.planners.find(plannerModel, session.pricedAtMs);
    if (!model) return { kind: 'ended', status: 'failed', reason: 'agent_planner_not_found' };
    const tools = await this.tools.present(names, accountId);
    const question = await this.#question(model, state, tools);
    const bounds = this.#bounds(question, model, state);
    if (bounds.outputTokens < ANSWER_TOKENS_MIN) {
      return { kind: 'ended', status: 'budget_exhausted', reason: 'max_token_budget' };
    }
    const body = planBody({ ...question, outputTokens: bounds.outputTokens });
    const asked = await this.#ask(body, bounds, session.signal);
    if ('reason' in asked) return { kind: 'ended', status: 'failed', ...asked };
    const plan = planOf(asked.completion, model.style, tools);
    const { usage, rig, modelAnswered } = asked;
    const used = withinBounds(usage, bounds);
    const { used: units, usageDoubts } = model.tariff.used(used, {}, rig);
    const isCall = plan.action === 'tool';
    const data: Planned = {
      sessionId,
      step,
      action: plan.action,
      tool: isCall ? plan.tool : null,
      callId: isCall ? derivedId(`call ${step}`, sessionId) : null,
      plan: await this.memory.put(userId, plan),
      usage: planUsageOf(used, usageDoubts),
      used: [...units],
      rig,
      modelAnswered,
      plannedAt: instant(this.clock),
    };
    return { kind: 'planned', data };
  }

  async #question(
    { id: model, style, outputTokensMax }: PlannerModel,
    state: StartedSession,
    tools: readonly PlannedTool[],
  ): Promise<PlanQuestion> {
    const [goal, turns] = [await this.memory.goalOf(state), await this.memory.turnsOf(state)];
    const outputTokens = Math.min(outputTokensMax, this.settings.planTokensMax);
    return { model, style, goal, tools, turns, outputTokens };
  }

  /**
   * The tokens of a prompt are not known before it is read. They are estimated from its bytes and,
   * after the first step, from the question before it, whose tokens are known.
   */
  #bounds(question: PlanQuestion, model: PlannerModel, state: StartedSession): Bounds {
    const bytes = this.planners.promptTokensBound(planBody(question));
    const before = state.steps.at(-1)?.planned.usage;
    const added = () => this.planners.promptTokensBound(laterMessages(question));
    const byBefore = before?.source === 'provider' ? before.promptTokens + added() : Infinity;
    const estimate = Math.min(Math.ceil(bytes / BYTES_PER_TOKEN), byBefore);
    const left = state.started.tokensMax - tokensOf(state);
    const room = Math.max(ANSWER_TOKENS_MIN, model.contextTokens - estimate);
    const outputTokens = Math.min(question.outputTokens, left - estimate, room);
    return { promptTokensMax: bytes, outputTokens, left };
  }

  async #ask(
    body: Readonly<Record<string, unknown>>,
    { promptTokensMax }: Bounds,
    signal: AbortSignal,
  ): Promise<PlannerAnswer | { readonly reason: string }> {
    try {
      return await this.planners.ask(body, promptTokensMax, signal);
    } catch (error) {
      signal.throwIfAborted();
      const failure = this.tools.failureOf(error);
      if (failure && !failure.isRetryable) return { reason: failureCode(failure.code) };
      throw new PlannerUnavailableError('the planner does not answer', { cause: error });
    }
  }
}

const planUsageOf = (
  { promptTokens, completionTokens, source, parts }: Usage,
  doubts: readonly UsageDoubt[] = [],
): PlanUsage => ({
  promptTokens,
  completionTokens,
  source,
  ...(parts && { parts }),
  ...(doubts.length > 0 && { doubts: [...doubts] }),
});

/** Tokens that a provider states above the budget are neither charged nor counted. */
const withinBounds = (usage: Usage, { promptTokensMax, outputTokens, left }: Bounds): Usage => {
  const answered = Math.min(usage.completionTokens, outputTokens);
  const inputTokens = Math.min(promptTokensMax, left - answered);
  return usageWithin(usage, { inputTokens, outputTokens });
};
