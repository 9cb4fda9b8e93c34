import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { labelsOf } from '#events/hold.vocabulary.js';
import { type WorkflowRunStarted } from '#events/workflows/workflow-run.events.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { demandModels } from '#platform/ledger/paid-work/asked-models.js';
import { PaidProcesses } from '#platform/ledger/paid-work/paid-process.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { CLOCK, PROJECTIONS } from '#platform/runtime/tokens.js';
import {
  openRunsPrefix,
  unsettledWorkflowRuns,
} from '#projections/workflows/unsettled-runs.projection.js';
import { WorkflowHandler, WorkflowQuery } from '../definition/workflow.queries.js';
import { type WorkflowDocument } from '../definition/workflow-document.js';
import { runHolder, WorkflowBlobs } from '../workflow-blobs.js';
import { reject } from '../workflows.errors.js';
import { FirstEstimate } from './first-estimate.js';
import { holdOf, RunFunds } from './run-funds.js';
import { WorkflowStreams } from './workflow-streams.js';

/** Runs of one account that go on at the same time. */
export const OPEN_RUNS_MAX = 100;
export const INPUT_LENGTH_MAX = 65_536;

export interface RunOrder {
  readonly accountId: string;
  readonly workflowId: number;
  /** Null: the newest. */
  readonly version: number | null;
  readonly inputs: Readonly<Record<string, string>>;
  readonly context: CommandContext;
}

/** Starts a run and returns its id; the process that runs the sagas carries it on. */
export class StartRunCommand extends Command<string> {
  constructor(readonly order: RunOrder) {
    super();
  }
}

@CommandHandler(StartRunCommand)
export class StartRunHandler implements ICommandHandler<StartRunCommand> {
  constructor(
    private readonly workflows: WorkflowHandler,
    private readonly streams: WorkflowStreams,
    private readonly blobs: WorkflowBlobs,
    private readonly estimates: FirstEstimate,
    private readonly funds: RunFunds,
    private readonly processes: PaidProcesses,
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'count'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * The id derives from the request: a repeated request is the same run.
   * @throws DomainError `workflow_inputs_invalid`, `too_many_workflow_runs`, `insufficient_balance`
   *   and the errors of the tools whose worst case is estimated before the first node
   */
  async execute({ order }: StartRunCommand): Promise<string> {
    const { accountId, workflowId, version: asked, context } = order;
    const runId = derivedId('workflow-run', context.requestId);
    if ((await this.streams.runOf(runId)).status !== 'absent') return runId;
    const query = new WorkflowQuery(accountId, workflowId, asked);
    const { version, document } = await this.workflows.execute(query);
    const inputs = inputsOf(document, order.inputs);
    await this.#demandRoom(accountId);
    const { plan, definition } = version;
    const startedAt = instant(this.clock);
    const runUntil = new Date(Date.parse(startedAt) + plan.timeOutMs).toISOString();
    const { actor: startedBy } = context;
    const ids = { runId, accountId, workflowId, version: version.version };
    const terms = { startedBy, startedAt, runUntil, ...labelsOf(context) };
    const need = await this.estimates.of({ ...ids, plan, ...terms }, { document, inputs });
    await this.blobs.keep(accountId, definition, runHolder(runId));
    const stored = await this.blobs.put(accountId, inputs, runHolder(runId));
    const data = { ...ids, plan, definition, inputs: stored, ...terms };
    try {
      await this.#open(data, need, context);
    } catch (error) {
      // A run that was rejected, as by an account without money, keeps nothing.
      if (error instanceof DomainError) await this.#release(data);
      throw error;
    }
    return runId;
  }

  async #release({ runId, accountId, definition, inputs }: WorkflowRunStarted['data']) {
    await this.blobs.release(accountId, definition, runHolder(runId));
    await this.blobs.release(accountId, inputs, runHolder(runId));
  }

  async #open(
    data: WorkflowRunStarted['data'],
    need: Awaited<ReturnType<FirstEstimate['of']>>,
    context: CommandContext,
  ): Promise<void> {
    const { runId, startedAt } = data;
    const expiresAt = this.funds.deadline(null);
    const terms = need && { node: null, ...need, lines: [...need.lines], expiresAt };
    const funding = terms && { runId, ...terms, fundedAt: startedAt };
    demandModels(context, []);
    if (funding) {
      const hold = { ...need, expiresAt };
      await this.processes.place(holdOf(data, hold), startedAt, context);
    }
    await this.streams.onRun({ type: 'StartRun', data, funding }, context);
  }

  /** Counted by the read model: requests at the same instant may exceed it by their number. */
  async #demandRoom(accountId: string): Promise<void> {
    const open = await this.projections.count(unsettledWorkflowRuns, openRunsPrefix(accountId));
    if (open < OPEN_RUNS_MAX) return;
    reject('too_many_workflow_runs', `the account has ${OPEN_RUNS_MAX} open runs, the maximum`);
  }
}

const inputsOf = (
  { inputs: declared }: WorkflowDocument,
  given: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> => {
  for (const [name, value] of Object.entries(given)) {
    const field = `inputs.${name}`;
    if (!Object.hasOwn(declared, name)) {
      const names = Object.keys(declared).join(', ');
      const known = names === '' ? 'it has none' : `its inputs are ${names}`;
      reject(
        'workflow_inputs_invalid',
        `${field}: the workflow has no such input; ${known}`,
        field,
      );
    }
    if (value.length > INPUT_LENGTH_MAX) {
      const detail = `${field}: is longer than ${INPUT_LENGTH_MAX} characters`;
      reject('workflow_inputs_invalid', detail, field);
    }
  }
  const entries = Object.entries(declared).map(([name, { default: usual }]) => {
    const value = given[name] ?? usual;
    const field = `inputs.${name}`;
    return value === undefined
      ? reject('workflow_inputs_invalid', `${field}: is missing, and it has no default`, field)
      : ([name, value] as const);
  });
  return Object.fromEntries(entries);
};
