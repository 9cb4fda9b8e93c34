import { Inject, Injectable } from '@nestjs/common';
import { labelsOf, type PriceLine } from '#events/hold.vocabulary.js';
import { type Clock } from '#platform/kernel/clock.js';
import { PaidProcesses, type ProcessHold } from '#platform/ledger/paid-work/paid-process.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { workflowProduct } from '../workflow.product.js';
import { HOLD_MS } from './run-plan.js';
import { runContext } from './run-context.js';
import { type RunHold, type StartedRun } from './workflow-run.state.js';
import { WorkflowStreams } from './workflow-streams.js';

/** A worst case: lines without steps, and the rate card of their prices. */
export interface Need {
  readonly lines: readonly PriceLine[];
  readonly rateCardVersion: number;
}

const sumOf = (lines: readonly PriceLine[], { step, meter }: PriceLine): number =>
  lines.reduce(
    (sum, one) => (one.step === step && one.meter === meter ? sum + one.quantity : sum),
    0,
  );

/** The part of a worst case that is not held yet in its step. */
export const missingOf = (
  held: readonly PriceLine[],
  needed: readonly PriceLine[],
): readonly PriceLine[] =>
  needed.flatMap((line) => {
    const quantity = line.quantity - sumOf(held, line);
    return quantity > 0 ? [{ ...line, quantity }] : [];
  });

/** The one hold of a run: it opens, grows and lasts as the run needs it. */
@Injectable()
export class RunFunds {
  constructor(
    private readonly processes: PaidProcesses,
    private readonly streams: WorkflowStreams,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** When a hold ends that is placed or renewed now; always later than it ended before. */
  deadline(hold: Pick<RunHold, 'expiresAt'> | null): string {
    const before = hold ? Date.parse(hold.expiresAt) + 1 : 0;
    return new Date(Math.max(this.clock.now() + HOLD_MS, before)).toISOString();
  }

  /**
   * Adds lines to the hold, and time. The order is in the log before the ledger has it.
   * @param node the node that needs them; null for more time only
   * @throws DomainError `insufficient_balance`, `budget_exceeded`
   */
  async add(run: StartedRun, node: string | null, need: Need): Promise<void> {
    const { runId } = run.order;
    const fundedAt = new Date(this.clock.now()).toISOString();
    const expiresAt = this.deadline(run.hold);
    const terms = { runId, node, expiresAt, fundedAt };
    const data = { ...terms, lines: [...need.lines], rateCardVersion: need.rateCardVersion };
    const context = runContext(run.order, `fund ${node ?? ''} ${expiresAt}`);
    const state = await this.streams.onRun({ type: 'FundRun', data }, context);
    if (state.status === 'running') await this.repeat(state);
  }

  /**
   * Sends the last order to the ledger, which takes it once.
   * @throws DomainError `insufficient_balance`, `budget_exceeded`
   */
  async repeat({ order, hold }: StartedRun): Promise<void> {
    if (!hold) return;
    const { lines, expiresAt, fundedAt } = hold.last;
    const context = runContext(order, `hold ${expiresAt}`);
    if (!hold.before) {
      await this.processes.place(holdOf(order, hold), fundedAt, context);
      return;
    }
    const before = holdOf(order, hold.before);
    await this.processes.renew(before, { lines, expiresAt, renewedAt: fundedAt }, context);
  }
}

export const holdOf = (
  { accountId, runId, workflowId, version, ...labels }: StartedRun['order'],
  { lines, rateCardVersion, expiresAt }: Pick<RunHold, 'lines' | 'rateCardVersion' | 'expiresAt'>,
): ProcessHold => ({
  accountId,
  holdId: runId,
  purpose: workflowProduct.purpose,
  lines: [...lines],
  rateCardVersion,
  evidence: { workflowId, version },
  expiresAt,
  ...labelsOf(labels),
});
