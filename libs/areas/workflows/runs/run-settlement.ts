import { Inject, Injectable } from '@nestjs/common';
import { type WorkflowCaptureEvidence } from '#events/workflows/workflow.evidence.js';
import { type RunEnd } from '#events/workflows/workflow-run.events.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type MicroUsd, toDecimal } from '#platform/kernel/money.js';
import { chargedLines } from '#platform/jobs/job.usage.js';
import { type Capture, type Release } from '#platform/ledger/hold.js';
import { Ledger } from '#platform/ledger/ledger.port.js';
import { priceOf } from '#platform/ledger/price.js';
import { onRigs } from '#platform/ledger/rig-lines.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { workflowProduct } from '../workflow.product.js';
import { isRejection, isUnpayable, RunFunds } from './run-funds.js';
import { runContext } from './run-context.js';
import { type RunHold, type StartedRun } from './workflow-run.state.js';
import { WorkflowStreams } from './workflow-streams.js';

interface Settlement {
  readonly outcome: 'charged' | 'free' | 'uncollected';
  readonly amount: MicroUsd;
}

const CAPTURED_AS: Readonly<Record<RunEnd, Capture['outcome']>> = {
  completed: 'completed',
  failed: 'upstream_failed',
  cancelled: 'client_gone',
  timed_out: 'timed_out',
  parked: 'upstream_failed',
};

const RELEASED_AS: Readonly<Record<RunEnd, Release['reason']>> = {
  completed: 'internal_error',
  failed: 'upstream_failed',
  cancelled: 'client_gone',
  timed_out: 'timed_out',
  parked: 'internal_error',
};

const FREE: Settlement = { outcome: 'free', amount: 0n };

/** A run with a hold that has ended. */
interface Ended {
  readonly run: StartedRun;
  readonly hold: RunHold;
  readonly status: RunEnd;
  readonly endedAt: string;
}

/**
 * Charges an ended run for what its nodes have used: one charge, with a line for each meter of each
 * node. Everything derives from the end of the run, so a repeat finds the hold closed, and the
 * ledger says how.
 */
@Injectable()
export class RunSettlement {
  constructor(
    private readonly ledger: Ledger,
    private readonly funds: RunFunds,
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

  async #close(ended: Ended): Promise<Settlement> {
    const capture = captureOf(ended);
    const amount = priceOf(capture.lines);
    if (amount === 0n) {
      await this.#free(ended);
      return FREE;
    }
    const { order } = ended.run;
    if (await this.#capture(capture, 'charge', order)) return { outcome: 'charged', amount };
    if ((await this.#free(ended)) === 'charged') return { outcome: 'charged', amount };
    return {
      outcome: (await this.#chargeAgain(ended, capture)) ? 'charged' : 'uncollected',
      amount,
    };
  }

  /** False for a hold that is not open. */
  async #capture(capture: Capture, what: string, order: StartedRun['order']): Promise<boolean> {
    try {
      await this.ledger.capture(capture, runContext(order, what));
      return true;
    } catch (error) {
      if (isRejection(error, 'hold_not_open')) return false;
      throw error;
    }
  }

  #free({ run: { order }, status, endedAt }: Ended) {
    const { accountId, runId: holdId } = order;
    const reason = RELEASED_AS[status];
    // The charge comes after the end.
    const left = { accountId, holdId, reason, releasedAt: endedAt, notBefore: endedAt };
    return this.ledger.settle(left, runContext(order, 'free'));
  }

  /** For a hold that had expired. False when the account cannot pay. */
  async #chargeAgain({ run: { order }, hold }: Ended, capture: Capture): Promise<boolean> {
    const expiresAt = this.funds.deadline(null);
    const lines = capture.lines.map(({ rig: _, ...line }) => line);
    try {
      const again = { order, hold: { ...hold, lines, expiresAt } };
      await this.funds.place(again, runContext(order, 'hold to charge'));
    } catch (error) {
      if (isUnpayable(error)) return false;
      throw error;
    }
    return this.#capture(capture, 'charge again', order);
  }
}

const captureOf = ({ run, hold, status, endedAt }: Ended): Capture => {
  const { accountId, runId: holdId } = run.order;
  const usage = [...run.nodes].flatMap(([step, { used }]) =>
    used.filter(({ quantity }) => quantity > 0).map((one) => ({ ...one, step })),
  );
  const { lines, excess } = chargedLines(hold.lines, usage);
  return {
    accountId,
    holdId,
    purpose: workflowProduct.purpose,
    ...onRigs(lines),
    usageSource: 'counted',
    excess: [...excess],
    outcome: CAPTURED_AS[status],
    evidence: evidenceOf(run, status),
    capturedAt: endedAt,
  };
};

const evidenceOf = (run: StartedRun, status: RunEnd): WorkflowCaptureEvidence => {
  const { workflowId, version } = run.order;
  const nodes = [...run.nodes].flatMap(([path, { node, item, status: end, attempt: attempts }]) => {
    if (end === 'pending' || end === 'running' || end === 'retrying') return [];
    const kind = item === null ? node.kind : (node.tool ?? node.kind);
    return [[path, { kind, status: end, attempts }] as const];
  });
  return { workflowId, version, status, nodes: Object.fromEntries(nodes) };
};
