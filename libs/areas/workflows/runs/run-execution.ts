import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { type WorkflowRunEvent, workflowRunEvents } from '#events/workflows/workflow-run.events.js';
import {
  type EventStore,
  type Position,
  type SubscriptionBatch,
} from '#platform/event-store/event-store.port.js';
import { type Clock } from '#platform/kernel/clock.js';
import { allDocuments } from '#platform/runtime/projections/all-documents.js';
import { type CodecOf, type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { type LeaderService } from '#platform/runtime/areas/leader-service.js';
import { type RunnerStatus } from '#platform/runtime/subscriptions/log-progress.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { SubscriptionRunner } from '#platform/runtime/subscriptions/subscription-runner.js';
import { AccountShares } from '#platform/runtime/commands/account-shares.js';
import { CLOCK, CODEC, EVENT_STORE, LOGGER, PROJECTIONS } from '#platform/runtime/tokens.js';
import {
  KEPT_RUNS_PREFIX,
  openRunsPrefix,
  type UnsettledRun,
  unsettledWorkflowRuns,
} from '#projections/workflows/unsettled-runs.projection.js';
import { RunDriver, RunWork } from './run-driver.js';
import { KEPT_MS } from './run-plan.js';

const NAME = 'workflows.execution';
/** How often the runs are looked at that wait for a time. */
const TICK_MS = 250;
const RETRY_MS = 1_000;

/** Runs that one process carries on at once; the others wait, and accounts take turns. */
const RUNS_AT_ONCE = { total: 64, perAccount: 16, reserve: 64 };
/**
 * A run that another process has taken and not left may have killed it. Such runs begin one after
 * another, so that the next death counts against one of them and not against all.
 */
const SUSPECT_PAUSE_MS = 250;

/** A run, and when to look at it, in milliseconds since the Unix epoch. */
interface DueRun {
  readonly accountId: string;
  readonly dueAt: number;
}

/** The events that come from outside the driver: a start, an approval, a cancellation. */
const WAKING: readonly WorkflowRunEvent['type'][] = [
  'WorkflowRunStarted',
  'WorkflowApprovalDecided',
  'WorkflowRunEnded',
];

const NOT_STARTED: RunnerStatus = {
  name: NAME,
  phase: 'closed',
  position: 0n,
  failure: null,
  retryAt: null,
};

/** Carries the runs of all accounts on, in the process that runs the sagas. */
@Injectable()
export class RunExecution implements LeaderService {
  readonly #codec: CodecOf<WorkflowRunEvent>;
  readonly #driving = new Map<string, RunDriver>();
  readonly #drives = new Set<Promise<void>>();
  /** Runs that wait for a slot. */
  readonly #waiting = new Set<string>();
  readonly #slots = new AccountShares(RUNS_AT_ONCE);
  /** When to look at a run again that has nothing to do. */
  readonly #due = new Map<string, DueRun>();
  #stopping = new AbortController();
  #runner: SubscriptionRunner | undefined;
  #tick: NodeJS.Timeout | undefined;

  constructor(
    private readonly work: RunWork,
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'list'>,
    @Inject(CODEC) codec: EventCodec,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#codec = codec.for(workflowRunEvents);
  }

  start(): Promise<void> {
    this.#stopping = new AbortController();
    const handler = {
      name: NAME,
      types: WAKING,
      checkpoint: () => this.#load(),
      handle: (batch: SubscriptionBatch) => this.#hear(batch),
    };
    const { eventStore, clock, logger } = this;
    this.#runner = new SubscriptionRunner(handler, eventStore, clock, logger, false);
    this.#runner.start();
    this.#tick = setInterval(() => this.#wakeDue(), TICK_MS);
    this.#tick.unref();
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    clearInterval(this.#tick);
    await this.#runner?.stop();
    await Promise.all(this.#drives);
    this.#waiting.clear();
    this.#due.clear();
  }

  status(): RunnerStatus {
    return this.#runner?.status() ?? NOT_STARTED;
  }

  /** Every run that has work to do; events after the position wake the others. */
  async #load(): Promise<Position> {
    const open = await this.#list(openRunsPrefix());
    const kept = await this.#list(KEPT_RUNS_PREFIX);
    const suspects: UnsettledRun[] = [];
    for (const run of open.runs) {
      const state = await this.work.streams.runOf(run.runId);
      if (state.status === 'running' && state.taken > 0) suspects.push(run);
      else this.#wake(run.runId, run.accountId);
    }
    const now = this.clock.now();
    for (const [index, { runId, accountId }] of suspects.entries()) {
      this.#due.set(runId, { accountId, dueAt: now + index * SUSPECT_PAUSE_MS });
    }
    for (const { runId, accountId, settledAt } of kept.runs) {
      this.#due.set(runId, { accountId, dueAt: Date.parse(settledAt ?? '') + KEPT_MS });
    }
    return open.position;
  }

  async #list(prefix: string) {
    const { projections } = this;
    const { documents, position } = await allDocuments(projections, unsettledWorkflowRuns, {
      prefix,
    });
    return { runs: documents.map(({ document }) => document), position };
  }

  #hear({ events }: SubscriptionBatch): Promise<void> {
    const types: readonly string[] = WAKING;
    for (const recorded of events) {
      if (!types.includes(recorded.type)) continue;
      const { runId, accountId } = this.#codec.revive(recorded).data;
      this.#wake(runId, accountId);
    }
    return Promise.resolve();
  }

  #wakeDue(): void {
    const now = this.clock.now();
    for (const [runId, { accountId, dueAt }] of this.#due) {
      if (dueAt <= now) this.#wake(runId, accountId);
    }
  }

  #wake(runId: string, accountId: string): void {
    if (this.#stopping.signal.aborted) return;
    this.#due.delete(runId);
    const driver = this.#driving.get(runId);
    if (driver) {
      driver.wake();
      // The driver may have looked for the last time already.
      this.#due.set(runId, { accountId, dueAt: this.clock.now() });
      return;
    }
    if (this.#waiting.has(runId)) return;
    this.#waiting.add(runId);
    const drive = this.#inSlot(runId, accountId).finally(() => this.#drives.delete(drive));
    this.#drives.add(drive);
  }

  async #inSlot(runId: string, accountId: string): Promise<void> {
    const { signal } = this.#stopping;
    const leave = await this.#slots.enter(accountId, 1, signal).catch(() => undefined);
    this.#waiting.delete(runId);
    if (!leave) return;
    const driver = new RunDriver(runId, this.work, signal);
    this.#driving.set(runId, driver);
    const dueAt = await driver.drive().catch((error: unknown) => {
      this.logger.error({ err: error, runId }, 'a run could not go on; retrying');
      return this.clock.now() + RETRY_MS;
    });
    this.#driving.delete(runId);
    leave();
    if (signal.aborted || dueAt === null) return;
    const known = this.#due.get(runId)?.dueAt ?? dueAt;
    this.#due.set(runId, { accountId, dueAt: Math.min(dueAt, known) });
  }
}
