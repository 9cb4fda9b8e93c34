import { Inject, Injectable } from '@nestjs/common';
import { type HoldLabels, labelsOf, type PriceLine } from '#events/hold.vocabulary.js';
import { type AgentSessionStarted } from '#events/agents/agent-session.events.js';
import { type JobUsage } from '#events/jobs/job.events.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import {
  PaidProcesses,
  type ProcessHold,
  type UsedProcess,
} from '#platform/ledger/paid-work/paid-process.js';
import { underStep } from '#platform/ledger/steps.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { agentProduct } from '../agent.product.js';
import { type StartedSession, tokensOf } from './agent-session.state.js';

/** Each call of a tool moves the deadline of the hold by this, so that a renewal is repeatable. */
const STEP_MS = 1_000;

type Started = AgentSessionStarted['data'];
type Status = NonNullable<StartedSession['end']>['status'];

/** One hold pays for a session: it begins with the planner, and grows with each call of a tool. */
@Injectable()
export class SessionMoney {
  constructor(
    private readonly processes: PaidProcesses,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Holds the worst case of the planner.
   * @throws DomainError `insufficient_balance`, `budget_exceeded`
   */
  async place(started: Started, context: CommandContext): Promise<void> {
    await this.processes.place(holdOf(started, context), started.startedAt, context);
  }

  /**
   * Holds the worst case of a call as well.
   * @throws DomainError `insufficient_balance`, `budget_exceeded`
   */
  async extend(
    session: StartedSession,
    step: number,
    lines: readonly PriceLine[],
    context: CommandContext,
  ): Promise<void> {
    if (lines.length === 0) return;
    const hold = { ...holdOf(session.started), lines: heldLinesOf(session) };
    const expiresAt = new Date(Date.parse(hold.expiresAt) + step * STEP_MS).toISOString();
    await this.processes.renew(hold, { lines, expiresAt, renewedAt: instant(this.clock) }, context);
  }

  /** Frees the hold of a session that could not begin. */
  free(started: Started, context: CommandContext): Promise<void> {
    return this.processes.abandon(started, started.startedAt, context);
  }

  /** Charges an ended session for its usage. */
  async charge(session: StartedSession, context: CommandContext): Promise<void> {
    const { end, started } = session;
    if (!end) return;
    const { status, endedAt } = end;
    const hold = { ...holdOf(started), lines: heldLinesOf(session) };
    const usage = usageOf(session);
    if (usage.length === 0) {
      await this.processes.free({ hold, status, endedAt }, context);
      return;
    }
    const used: UsedProcess = {
      hold,
      status,
      endedAt,
      usage,
      usageSource: isStated(session) ? 'provider' : 'counted',
      evidence: evidenceOf(session, status),
      jobId: started.sessionId,
    };
    await this.processes.charge(used, context);
  }
}

const holdOf = (
  {
    accountId,
    holdId,
    held,
    rateCardVersion,
    plannerModel,
    stepsMax,
    tokensMax,
    heldUntil,
  }: Started,
  labels: HoldLabels = {},
): ProcessHold => ({
  accountId,
  holdId,
  purpose: agentProduct.purpose,
  lines: [...held],
  rateCardVersion,
  evidence: { plannerModel, stepsMax, tokensMax },
  expiresAt: heldUntil,
  ...labelsOf(labels),
});

const heldLinesOf = ({ started, steps }: StartedSession): PriceLine[] => [
  ...started.held,
  ...steps.flatMap(({ called }) => called?.held ?? []),
];

/** The name of a step in the cost tree; the tool is a step below it. */
export const stepPath = (step: number, work: string): string => `step-${step}/${work}`;

const usageOf = ({ steps }: StartedSession): readonly JobUsage[] =>
  steps
    .flatMap(({ planned: { step, used }, returned }): readonly JobUsage[] => [
      ...underStep(stepPath(step, 'plan'), used),
      ...(returned === null ? [] : underStep(stepPath(step, returned.tool), returned.used)),
    ])
    .filter(({ quantity }) => quantity > 0);

const isStated = ({ steps }: StartedSession): boolean =>
  steps.every(({ planned }) => planned.usage.source === 'provider');

const evidenceOf = (session: StartedSession, status: Status) => {
  const { sessionId, plannerModel, stepsMax, tokensMax } = session.started;
  const { length: steps } = session.steps;
  return { sessionId, plannerModel, stepsMax, tokensMax, status, steps, tokens: tokensOf(session) };
};
