import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { type PriceLine } from '#events/hold.vocabulary.js';
import { type UsedUnits } from '#events/hold.vocabulary.js';
import { type DoubtedUsage, doubtsOf } from '#events/token-usage.vocabulary.js';
import { heldMeterOf } from '#events/token-meters.js';
import { type AgentToolReturned } from '#events/agents/agent-session.events.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { CLOCK, LOGGER } from '#platform/runtime/tokens.js';
import { type ToolCall, ToolError, type ToolOutcome } from '#platform/tools/tool.js';
import { AgentTools } from '../agent-tools.js';
import { AgentStreams } from './agent-streams.js';
import {
  type AgentSessionState,
  type SessionStep,
  type StartedSession,
  tokensIn,
  tokensOf,
} from './agent-session.state.js';
import { failureCode } from './failure-code.js';
import { type SessionAttempt } from './session-attempt.js';
import { SessionMemory } from './session-memory.js';
import { SessionMoney, stepPath } from './session-money.js';
import { type Observation } from './transcript.js';

/** How a call has ended. */
interface Returned extends DoubtedUsage {
  readonly executed: boolean;
  readonly observation: Observation;
  readonly code: string | null;
  readonly used: readonly UsedUnits[];
  readonly counters: ToolOutcome<unknown>['counters'];
}

/** A call whose plan is in the log. */
interface Planned {
  readonly tool: string;
  readonly input: unknown;
  readonly call: ToolCall;
}

const DEFECT = { code: 'internal_error', message: 'the tool failed; the operator finds the cause' };

/** Calls the tool of a step: holds its worst case, writes that it is called, and runs it. */
@Injectable()
export class ToolCaller {
  constructor(
    private readonly tools: AgentTools,
    private readonly streams: AgentStreams,
    private readonly money: SessionMoney,
    private readonly memory: SessionMemory,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async call(
    session: SessionAttempt,
    state: StartedSession,
    step: SessionStep,
  ): Promise<AgentSessionState> {
    const { callId, tool, plan: part } = step.planned;
    const plan = await this.memory.planOf(state, part);
    if (callId === null || tool === null || plan.action !== 'tool') {
      throw new Error('the step of an agent session has no call');
    }
    const planned = { tool, input: plan.arguments, call: toolCallOf(session, callId) };
    const returned = await this.#returned(session, state, step, planned);
    return this.#record(session, step, planned, returned);
  }

  async #returned(
    session: SessionAttempt,
    state: StartedSession,
    step: SessionStep,
    planned: Planned,
  ): Promise<Returned> {
    if (step.called !== null) return this.#again(planned, step.called.held);
    const held = await this.#held(session, state, step, planned);
    if ('observation' in held) return held;
    return held.isNew ? this.#run(planned, held.lines) : this.#again(planned, held.lines);
  }

  /** An earlier attempt may have made the call, and has not written how it ended. */
  async #again(planned: Planned, held: readonly PriceLine[]): Promise<Returned> {
    const isRepeatable = await this.tools
      .isRepeatable(planned.tool, planned.call.accountId)
      .catch(() => false);
    if (isRepeatable) return this.#run(planned, held);
    const message = 'the call was interrupted; whether it had an effect is not known';
    return failed(true, { code: 'outcome_unknown', message });
  }

  async #held(
    session: SessionAttempt,
    state: StartedSession,
    { planned: { step } }: SessionStep,
    { tool, input, call }: Planned,
  ): Promise<Returned | { readonly lines: readonly PriceLine[]; readonly isNew: boolean }> {
    try {
      const { lines: estimated } = await this.tools.estimate(tool, input, call);
      demandTokens(state, estimated);
      const lines = estimated.map((line) => ({ ...line, step: stepPath(step, tool) }));
      const { started } = state;
      await this.money.extend(state, step, lines, session.sharedContextOf(`hold ${step}`));
      const { sessionId } = started;
      const calledAt = instant(this.clock);
      const data = { sessionId, step, tool, callId: call.id, held: lines, calledAt };
      const context = session.contextOf(`call ${step}`);
      const isNew = await this.streams.isNew({ type: 'RecordCall', data }, context);
      return { lines, isNew };
    } catch (error) {
      session.signal.throwIfAborted();
      const failure = this.tools.failureOf(error);
      if (!failure) throw error;
      return failed(false, failure);
    }
  }

  async #run({ tool, input, call }: Planned, held: readonly PriceLine[]): Promise<Returned> {
    try {
      const { output, used: all, ...facts } = await this.tools.run(tool, input, call);
      const used = withinHeld(all, held);
      return { executed: true, observation: { output }, code: null, used, ...facts };
    } catch (error) {
      call.signal.throwIfAborted();
      const failure = this.tools.failureOf(error);
      if (!failure) this.logger.error({ err: error, tool, call: call.id }, 'a tool has failed');
      const used = withinHeld(this.tools.usedBy(error), held);
      return { ...failed(true, failure ?? DEFECT), used };
    }
  }

  async #record(
    session: SessionAttempt,
    { planned: { step } }: SessionStep,
    { tool, call: { id: callId } }: Planned,
    returned: Returned,
  ): Promise<AgentSessionState> {
    const { executed, observation, code, used, counters } = returned;
    const { sessionId, userId } = session.started;
    const data: Omit<AgentToolReturned['data'], 'accountId'> = {
      sessionId,
      step,
      tool,
      callId,
      executed,
      outcome: code === null ? 'succeeded' : 'failed',
      code,
      observation: await this.memory.put(userId, observation),
      used: [...used],
      counters: { ...counters },
      ...doubtsOf([returned]),
      returnedAt: instant(this.clock),
    };
    return this.streams.run({ type: 'RecordReturn', data }, session.contextOf(`return ${step}`));
  }
}

const toolCallOf = (session: SessionAttempt, id: string): ToolCall => {
  const { accountId, userId, sessionId: requestId } = session.started;
  const { pricedAtMs, signal } = session;
  return { id, accountId, actor: `user:${userId}`, requestId, pricedAtMs, signal };
};

const failed = (
  executed: boolean,
  { code, message }: { readonly code: string; readonly message: string },
): Returned => ({
  executed,
  observation: { error: { code, message } },
  code: failureCode(code),
  used: [],
  counters: {},
});

/** The budget is hard: a call that might exceed it is not made, and the planner sees why. */
const demandTokens = (state: StartedSession, lines: readonly PriceLine[]): void => {
  const wanted = tokensIn(lines);
  const left = state.started.tokensMax - tokensOf(state);
  if (wanted <= left) return;
  const detail = `the call may need ${wanted} tokens, and ${left} of the budget are left`;
  throw new ToolError('token_budget_too_small', detail);
};

/** Units above the estimate are not charged, and not counted. */
const withinHeld = (
  used: ToolOutcome<unknown>['used'],
  held: readonly PriceLine[],
): readonly UsedUnits[] => {
  const left = new Map<string, number>();
  for (const { meter, quantity } of held) left.set(meter, (left.get(meter) ?? 0) + quantity);
  return used.map((units) => {
    const meter = heldMeterOf(units.meter);
    const quantity = Math.min(units.quantity, left.get(meter) ?? 0);
    left.set(meter, (left.get(meter) ?? 0) - quantity);
    return { ...units, quantity };
  });
};
