import { Inject, Injectable } from '@nestjs/common';
import { type PriceLine } from '#events/hold.vocabulary.js';
import { type Clock } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type HoldOrder } from '#platform/ledger/hold.js';
import { Ledger } from '#platform/ledger/ledger.port.js';
import { type CommandContext } from '#platform/runtime/command-context.js';
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

/** What of a worst case is not held yet in its step. */
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
    private readonly ledger: Ledger,
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
      await this.ledger.place(holdOrderOf(order, hold), context);
      return;
    }
    const { accountId, runId: holdId } = order;
    const terms = { accountId, holdId, purpose: workflowProduct.purpose };
    try {
      const renewal = { ...terms, lines, expiresAt, renewedAt: fundedAt };
      await this.ledger.renew(renewal, context);
    } catch (error) {
      if (!isRejection(error, 'hold_not_open')) throw error;
      await this.place({ order, hold }, runContext(order, `hold again ${expiresAt}`));
    }
  }

  /** Holds again under the id of a hold that has expired. */
  async place(run: Pick<StartedRun, 'order'> & { hold: RunHold }, context: CommandContext) {
    await this.ledger.place(holdOrderOf(run.order, run.hold), context);
  }
}

export const holdOrderOf = (
  { accountId, runId, workflowId, version, key }: StartedRun['order'],
  { lines, rateCardVersion, expiresAt, last }: RunHold,
): HoldOrder => ({
  accountId,
  holdId: runId,
  purpose: workflowProduct.purpose,
  lines: [...lines],
  rateCardVersion,
  evidence: { workflowId, version },
  placedAt: last.fundedAt,
  expiresAt,
  shrink: null,
  ...(key !== undefined && { key }),
});

export const isRejection = (error: unknown, code: string): boolean =>
  error instanceof DomainError && error.code === code;

/** Whether the account cannot pay now: its balance or a budget does not cover the work. */
export const isUnpayable = (error: unknown): error is DomainError =>
  isRejection(error, 'insufficient_balance') || isRejection(error, 'budget_exceeded');
