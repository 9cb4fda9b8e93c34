import { Inject, Injectable } from '@nestjs/common';
import { type JobUsage } from '#events/jobs/job.events.js';
import { type WorkflowCaptureEvidence } from '#events/workflows/workflow.evidence.js';
import { type RunEnd } from '#events/workflows/workflow-run.events.js';
import { doubtsOf } from '#events/token-usage.vocabulary.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { toDecimal } from '#platform/kernel/money.js';
import { underStep } from '#platform/ledger/steps.js';
import { PaidProcesses, type Settlement } from '#platform/ledger/paid-work/paid-process.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { STEP_METER } from '../workflow.product.js';
import { holdOf } from './run-funds.js';
import { runContext, WORKFLOWS_ACTOR } from './run-context.js';
import { type RunHold, type StartedRun } from './workflow-run.state.js';
import { WorkflowStreams } from './workflow-streams.js';

const FREE: Settlement = { outcome: 'free', amount: 0n };

/** A run with a hold that has ended. */
interface Ended {
  readonly run: StartedRun;
  readonly hold: RunHold;
  readonly status: RunEnd;
  readonly endedAt: string;
}

/**
 * Charges an ended run for its attempts and for the usage of its nodes: one charge, with a line for
 * the attempts and one for each meter of each node.
 */
@Injectable()
export class RunSettlement {
  constructor(
    private readonly processes: PaidProcesses,
    private readonly streams: WorkflowStreams,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async settle(run: StartedRun): Promise<void> {
    const { status, endedAt, hold, order } = run;
    if (status === 'running' || endedAt === null) return;
    const { outcome, amount } = hold ? await this.#close({ run, hold, status, endedAt }) : FREE;
    const amounts = { outcome, amountMicroUsd: toDecimal(amount) };
    const data = { runId: order.runId, ...amounts, settledAt: instant(this.clock) };
    await this.streams.onRun({ type: 'SettleRun', data }, runContext(order, 'settled'));
  }

  /** A run that has used nothing is free, also one that is completed. */
  #close({ run, hold, status, endedAt }: Ended): Promise<Settlement> {
    const { order } = run;
    const context = contextOf(order.runId, WORKFLOWS_ACTOR);
    const ended = { hold: holdOf(order, hold), status, endedAt };
    const usage = [...stepsOf(run, hold), ...usageOf(run)];
    if (usage.length === 0) return this.processes.free(ended, context);
    const evidence = evidenceOf(run, status);
    return this.processes.charge({ ...ended, usage, usageSource: 'counted', evidence }, context);
  }
}

/** Empty where nothing began, or where attempts had no price when the run started. */
const stepsOf = ({ nodes }: StartedRun, { lines }: RunHold): readonly JobUsage[] => {
  const quantity = [...nodes.values()].reduce((sum, { attempt }) => sum + attempt, 0);
  const isPriced = lines.some(({ meter }) => meter === STEP_METER);
  return isPriced && quantity > 0 ? [{ meter: STEP_METER, quantity }] : [];
};

const usageOf = ({ nodes }: StartedRun): readonly JobUsage[] =>
  [...nodes].flatMap(([node, { used }]) =>
    underStep(
      node,
      used.filter(({ quantity }) => quantity > 0),
    ),
  );

const evidenceOf = (run: StartedRun, status: RunEnd): WorkflowCaptureEvidence => {
  const { workflowId, version } = run.order;
  const nodes = [...run.nodes].flatMap(([path, one]) => {
    const { node, item, status: end, attempt: attempts } = one;
    if (end === 'pending' || end === 'running' || end === 'retrying') return [];
    const kind = item === null ? node.kind : (node.tool ?? node.kind);
    return [[path, { kind, status: end, attempts, ...doubtsOf([one]) }] as const];
  });
  return { workflowId, version, status, nodes: Object.fromEntries(nodes) };
};
