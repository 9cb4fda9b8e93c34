import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { type WorkflowRunEvent, workflowRunEvents } from '#events/workflows/workflow-run.events.js';
import {
  type EventStore,
  type Position,
  type SubscriptionBatch,
} from '#platform/event-store/event-store.port.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type CodecOf, type EventCodec } from '#platform/runtime/event-codec.js';
import { type LeaderService } from '#platform/runtime/leader-service.js';
import { type RunnerStatus } from '#platform/runtime/log-progress.js';
import { type Projections } from '#platform/runtime/projections.js';
import { SubscriptionRunner } from '#platform/runtime/subscription-runner.js';
import { CLOCK, CODEC, EVENT_STORE, LOGGER, PROJECTIONS } from '#platform/runtime/tokens.js';
import {
  KEPT_RUNS_PREFIX,
  openRunsPrefix,
  type UnsettledRun,
  unsettledWorkflowRuns,
} from '#projections/workflows/unsettled-runs.projection.js';
import { RunDriver, RunWork } from './run-driver.js';
import { KEPT_MS } from './run-plan.js';

const PAGE = 1_000;
const NAME = 'workflows.execution';
/** How often the runs are looked at that wait for a time. */
const TICK_MS = 250;
const RETRY_MS = 1_000;

/** Runs that one process carries on at once; the others wait. */
export const RUNS_AT_ONCE_MAX = 64;

/** What others do to a run: it begins, an approval is decided, it is cancelled. */
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
  /** Runs that wait for a slot, in order. */
  readonly #waiting = new Set<string>();
  /** When to look at a run again that has nothing to do, in milliseconds since the Unix epoch. */
  readonly #due = new Map<string, number>();
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
    for (const { runId } of open.runs) this.#wake(runId);
    for (const { runId, settledAt } of kept.runs) {
      this.#due.set(runId, Date.parse(settledAt ?? '') + KEPT_MS);
    }
    return open.position;
  }

  async #list(prefix: string) {
    const runs: UnsettledRun[] = [];
    let start: Position | undefined;
    for (let from: string | undefined; ;) {
      const options = { prefix, limit: PAGE, ...(from !== undefined && { from }) };
      const { documents, position } = await this.projections.list(unsettledWorkflowRuns, options);
      start ??= position;
      // A page begins with the last key of the one before it.
      const added = documents.filter(({ key }) => key !== from);
      runs.push(...added.map(({ document }) => document));
      from = added.at(-1)?.key;
      if (documents.length < PAGE || from === undefined) return { runs, position: start };
    }
  }

  #hear({ events }: SubscriptionBatch): Promise<void> {
    const types: readonly string[] = WAKING;
    for (const recorded of events) {
      if (types.includes(recorded.type)) this.#wake(this.#codec.revive(recorded).data.runId);
    }
    return Promise.resolve();
  }

  #wakeDue(): void {
    const now = this.clock.now();
    for (const [runId, dueAt] of this.#due) if (dueAt <= now) this.#wake(runId);
  }

  #wake(runId: string): void {
    if (this.#stopping.signal.aborted) return;
    this.#due.delete(runId);
    const driver = this.#driving.get(runId);
    if (driver) {
      driver.wake();
      // The driver may have looked for the last time already.
      this.#due.set(runId, this.clock.now());
      return;
    }
    this.#waiting.add(runId);
    this.#fillSlots();
  }

  #fillSlots(): void {
    for (const runId of this.#waiting) {
      if (this.#driving.size >= RUNS_AT_ONCE_MAX) return;
      this.#waiting.delete(runId);
      this.#drive(runId);
    }
  }

  #drive(runId: string): void {
    const driver = new RunDriver(runId, this.work, this.#stopping.signal);
    this.#driving.set(runId, driver);
    const drive = driver
      .drive()
      .catch((error: unknown) => {
        this.logger.error({ err: error, runId }, 'a run could not go on; retrying');
        return this.clock.now() + RETRY_MS;
      })
      .then((dueAt) => {
        this.#driving.delete(runId);
        this.#drives.delete(drive);
        if (this.#stopping.signal.aborted) return;
        if (dueAt !== null) this.#due.set(runId, Math.min(dueAt, this.#due.get(runId) ?? dueAt));
        this.#fillSlots();
      });
    this.#drives.add(drive);
  }
}
