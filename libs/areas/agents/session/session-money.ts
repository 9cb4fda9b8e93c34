import { Inject, Injectable } from '@nestjs/common';
import { type PriceLine } from '#events/hold.vocabulary.js';
import { type AgentSessionStarted } from '#events/agents/agent-session.events.js';
import { type JobUsage } from '#events/jobs/job.events.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { chargedLines } from '#platform/jobs/job.usage.js';
import { type Capture, type Release } from '#platform/ledger/hold.js';
import { Ledger } from '#platform/ledger/ledger.port.js';
import { onRigs } from '#platform/ledger/rig-lines.js';
import { type CommandContext } from '#platform/runtime/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { agentProduct } from '../agent.product.js';
import { type StartedSession, tokensOf } from './agent-session.state.js';

const { purpose } = agentProduct;

/** Each call of a tool moves the deadline of the hold by this, so that a renewal is repeatable. */
const STEP_MS = 1_000;

type Started = AgentSessionStarted['data'];
type Status = NonNullable<StartedSession['end']>['status'];

const CAPTURED_AS: Readonly<Record<Status, Capture['outcome']>> = {
  completed: 'completed',
  budget_exhausted: 'completed',
  failed: 'upstream_failed',
  cancelled: 'client_gone',
};

const RELEASED_AS: Readonly<Record<Status, Release['reason']>> = {
  completed: 'internal_error',
  budget_exhausted: 'refused',
  failed: 'upstream_failed',
  cancelled: 'client_gone',
};

/** One hold pays for a session: it begins with the planner, and grows with each call of a tool. */
@Injectable()
export class SessionMoney {
  constructor(
    private readonly ledger: Ledger,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Holds the worst case of the planner.
   * @throws DomainError `insufficient_balance`, `budget_exceeded`
   */
  async place(started: Started, context: CommandContext): Promise<void> {
    const { accountId, holdId, held: lines, rateCardVersion } = started;
    const {
      plannerModel,
      stepsMax,
      tokensMax,
      startedAt: placedAt,
      heldUntil: expiresAt,
    } = started;
    const evidence = { plannerModel, stepsMax, tokensMax };
    const hold = { accountId, holdId, purpose, lines, rateCardVersion, evidence };
    const key = context.key === undefined ? {} : { key: context.key };
    await this.ledger.place({ ...hold, shrink: null, placedAt, expiresAt, ...key }, context);
  }

  /**
   * Holds the worst case of a call as well.
   * @throws DomainError `insufficient_balance`, `budget_exceeded`, `hold_not_open`
   */
  async extend(
    { accountId, holdId, heldUntil }: Started,
    step: number,
    lines: readonly PriceLine[],
    context: CommandContext,
  ): Promise<void> {
    if (lines.length === 0) return;
    const expiresAt = new Date(Date.parse(heldUntil) + step * STEP_MS).toISOString();
    const renewedAt = instant(this.clock);
    await this.ledger.renew(
      { accountId, holdId, purpose, lines: [...lines], expiresAt, renewedAt },
      context,
    );
  }

  /** Frees the hold of a session that could not begin. */
  async free(
    { accountId, holdId, startedAt: notBefore }: Started,
    context: CommandContext,
  ): Promise<void> {
    const left = { accountId, holdId, reason: 'refused', notBefore } as const;
    await this.ledger.settle({ ...left, releasedAt: instant(this.clock) }, context);
  }

  /** Charges an ended session for what it has used. A repeat finds the hold closed. */
  async charge(session: StartedSession, context: CommandContext): Promise<void> {
    const { end, started } = session;
    if (!end) return;
    const { accountId, holdId } = started;
    const { lines, excess } = chargedLines(heldLinesOf(session), usageOf(session));
    if (lines.length === 0) {
      const reason = RELEASED_AS[end.status];
      const left = { accountId, holdId, reason, notBefore: started.startedAt };
      await this.ledger.settle({ ...left, releasedAt: end.endedAt }, context);
      return;
    }
    const capture: Capture = {
      accountId,
      holdId,
      purpose,
      ...onRigs(lines),
      usageSource: isStated(session) ? 'provider' : 'counted',
      excess: [...excess],
      outcome: CAPTURED_AS[end.status],
      evidence: evidenceOf(session, end.status),
      capturedAt: end.endedAt,
      jobId: started.sessionId,
    };
    await this.ledger.capture(capture, context).catch(unlessNotOpen);
  }
}

const heldLinesOf = ({ started, steps }: StartedSession): readonly PriceLine[] => [
  ...started.held,
  ...steps.flatMap(({ called }) => called?.held ?? []),
];

/** The name of a step in the cost tree; the tool is a step below it. */
export const stepPath = (step: number, work: string): string => `step-${step}/${work}`;

const usageOf = ({ steps }: StartedSession): readonly JobUsage[] =>
  steps
    .flatMap(({ planned: { step, usage, rig }, returned }): readonly JobUsage[] => [
      ...planUsage(step, rig, usage.promptTokens, usage.completionTokens),
      ...(returned === null ? [] : toolUsage(step, returned)),
    ])
    .filter(({ quantity }) => quantity > 0);

const toolUsage = (
  step: number,
  { tool, used }: NonNullable<StartedSession['steps'][number]['returned']>,
): readonly JobUsage[] => used.map((one) => ({ ...one, step: stepPath(step, tool) }));

const planUsage = (
  step: number,
  rig: string,
  inputTokens: number,
  outputTokens: number,
): readonly JobUsage[] => {
  const place = { step: stepPath(step, 'plan'), rig };
  return [
    { ...place, meter: 'input_tokens', quantity: inputTokens },
    { ...place, meter: 'output_tokens', quantity: outputTokens },
  ];
};

const isStated = ({ steps }: StartedSession): boolean =>
  steps.every(({ planned }) => planned.usage.source === 'provider');

const evidenceOf = (session: StartedSession, status: Status) => {
  const { sessionId, plannerModel, stepsMax, tokensMax } = session.started;
  const { length: steps } = session.steps;
  return { sessionId, plannerModel, stepsMax, tokensMax, status, steps, tokens: tokensOf(session) };
};

/** The charge was made before, or the hold has expired: the log says which. */
const unlessNotOpen = (error: unknown): void => {
  if (!(error instanceof DomainError) || error.code !== 'hold_not_open') throw error;
};
