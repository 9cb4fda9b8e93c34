import { Module } from '@nestjs/common';
import { pino } from 'pino';
import { z } from 'zod';
import { accountDecider } from '#areas/billing/account.decider.js';
import { AccountLedger } from '#areas/billing/account-ledger.js';
import { type Accounts, accountStream } from '#areas/billing/accounts.js';
import { RejectionMemory } from '#areas/billing/explanations/rejection-memory.js';
import { LedgerAudit } from '#areas/billing/ledger-audit.js';
import { MemoryBlobs } from '#platform/blobs/memory-blobs.fake.js';
import {
  StoreDefinitionCommand,
  StoreDefinitionHandler,
} from '#areas/workflows/definition/store-definition.handler.js';
import { WorkflowHandler } from '#areas/workflows/definition/workflow.queries.js';
import { ChangeRunCommand, ChangeRunHandler } from '#areas/workflows/runs/change-run.handler.js';
import { ControlSteps } from '#areas/workflows/runs/control-steps.js';
import { FirstEstimate } from '#areas/workflows/runs/first-estimate.js';
import { NodeCalls } from '#areas/workflows/runs/node-calls.js';
import { NodeInputs } from '#areas/workflows/runs/node-input.js';
import { RunAccess } from '#areas/workflows/runs/run-access.js';
import { RunDriver, RunWork } from '#areas/workflows/runs/run-driver.js';
import { RunFunds } from '#areas/workflows/runs/run-funds.js';
import { RunSettlement } from '#areas/workflows/runs/run-settlement.js';
import { StartRunCommand, StartRunHandler } from '#areas/workflows/runs/start-run.handler.js';
import { type RunState } from '#areas/workflows/runs/workflow-run.state.js';
import { runStream, WorkflowStreams } from '#areas/workflows/runs/workflow-streams.js';
import { WorkflowBlobs } from '#areas/workflows/workflow-blobs.js';
import { workflowProduct } from '#areas/workflows/workflow.product.js';
import { type AccountEvent, accountEvents } from '#events/billing/account.events.js';
import { workflowEvents } from '#events/workflows/workflow.events.js';
import { workflowRunEvents } from '#events/workflows/workflow-run.events.js';
import { StoreUnavailableError } from '#platform/event-store/event-store.errors.js';
import { JobBlobs } from '#platform/jobs/job-blobs.js';
import { type MeterPriceList } from '#platform/ledger/meter-prices.port.js';
import { PaidProcesses } from '#platform/ledger/paid-work/paid-process.js';
import { Products } from '#platform/ledger/product.js';
import { Areas, defineArea } from '#platform/runtime/areas/area.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { EventCodec } from '#platform/runtime/commands/event-codec.js';
import {
  FaultyEventStore,
  FaultyReadStore,
  MemoryLog,
} from '#platform/runtime/faulty-stores.fake.js';
import { movableClock } from '#platform/runtime/stock.fixture.js';
import { defineTool, type ToolCall, ToolError, type ToolRunner } from '#platform/tools/tool.js';
import { Tools } from '#platform/tools/tools.js';

const ACCOUNT = '7';
const NAMESPACE = '01890a5d-ac96-774b-bcce-000000000000';
const UNIT_PRICE = '5';
const logger = pino({ level: 'silent' });
const codec = new EventCodec([...accountEvents, ...workflowEvents, ...workflowRunEvents]);

const contextNumber = (number: number) => contextOf(derivedId(String(number), NAMESPACE), 'user:7');

const Knots = z.strictObject({
  text: z.string(),
  /** How the server answers: it fails always, or only the first request of a call. */
  mood: z.enum(['steady', 'down', 'shaky']).default('steady'),
  knots: z.int().min(1).max(9).default(1),
});
type Knots = z.infer<typeof Knots>;

/** A server with an effect for each call id, which outlives the processes that call it. */
class KnotServer {
  /** The knots of each call. */
  readonly effects = new Map<string, string>();
  readonly #asked = new Set<string>();

  tie({ text, mood }: Knots, callId: string): string {
    const isFirst = !this.#asked.has(callId);
    this.#asked.add(callId);
    if (mood === 'down' || (mood === 'shaky' && isFirst)) {
      throw new ToolError('server_down', 'the server is down', { isRetryable: mood === 'shaky' });
    }
    const tied = this.effects.get(callId);
    if (tied !== undefined && tied !== text) throw new Error('a call id with another input');
    this.effects.set(callId, text);
    return `(${text})`;
  }
}

@Module({})
class KnotsModule {}

/** Where a process ends: at its n-th append, before the append or after it. */
export interface Crash {
  readonly append: number;
  readonly when: 'before' | 'after';
}

/**
 * Workflows, accounts and a server on stores in memory. `boot` starts another process on them, as
 * after a crash; a spec drives the run.
 */
export class WorkflowsWorld {
  readonly clock = movableClock();
  readonly log = new MemoryLog();
  readonly views = new FaultyReadStore();
  readonly blobs = new MemoryBlobs();
  readonly server = new KnotServer();
  /** By default the attempts of nodes are free. */
  meterPrices: MeterPriceList | undefined;
  process: WorkflowsProcess;
  runId = '';

  private constructor() {
    this.process = new WorkflowsProcess(this);
  }

  static async open(definition: object, depositMicroUsd = 1_000_000): Promise<WorkflowsWorld> {
    const world = new WorkflowsWorld();
    const { accounts, store } = world.process;
    const openedAt = world.now();
    const stream = accountStream(ACCOUNT);
    const opened = { accountId: ACCOUNT, currency: 'USD', openedAt } as const;
    await accounts.run(stream, { type: 'OpenAccount', data: opened }, contextNumber(1));
    const deposit = {
      accountId: ACCOUNT,
      depositId: 'd-1',
      amountMicroUsd: String(depositMicroUsd),
      method: 'manual_credit',
      reason: 'a present',
      depositedAt: openedAt,
    } as const;
    await accounts.run(stream, { type: 'DepositFunds', data: deposit }, contextNumber(2));
    const named = { name: 'knots' };
    const command = new StoreDefinitionCommand(ACCOUNT, named, definition, contextNumber(3));
    await store.execute(command);
    return world;
  }

  now(): string {
    return new Date(this.clock.now()).toISOString();
  }

  boot(crash: Crash | null = null): void {
    this.process = new WorkflowsProcess(this, crash);
  }

  async start(inputs: Readonly<Record<string, string>> = {}): Promise<void> {
    const context = contextNumber(4);
    const order = { accountId: ACCOUNT, workflowId: 1, version: null, inputs, context };
    this.runId = await this.process.start.execute(new StartRunCommand(order));
  }

  /** Drives the run and moves the clock to whatever is due, until it is settled or waits. */
  async drive(): Promise<void> {
    for (;;) {
      const driver = new RunDriver(this.runId, this.process.work, new AbortController().signal);
      const dueAt = await driver.drive();
      const run = await this.run();
      if (dueAt === null || run.status !== 'running' || this.isWaiting(run)) return;
      this.clock.nowMs = dueAt;
    }
  }

  /** Whether only a person can carry the run on. */
  isWaiting(run: RunState): boolean {
    if (run.status === 'absent') return false;
    const open = [...run.nodes.values()].filter(({ status }) => status === 'running');
    return open.length > 0 && open.every(({ node, until }) => node.kind === 'approval' && !until);
  }

  async decide(node: string, isApproved: boolean): Promise<void> {
    const reader = { accountId: ACCOUNT };
    const change = { node, isApproved };
    const command = new ChangeRunCommand(this.runId, reader, change, contextNumber(5));
    await this.process.change.execute(command);
  }

  /** Drives the run through crashes, each in a process of its own, and then to its end. */
  async driveThrough(crashes: readonly Crash[]): Promise<void> {
    for (const crash of crashes) {
      this.boot(crash);
      // The process is gone: whatever it still had to say is lost with it.
      await this.drive().catch(() => undefined);
    }
    this.boot();
    await this.drive();
  }

  run(): Promise<RunState> {
    return this.process.streams.runOf(this.runId);
  }

  /** Appends since the start of the process. */
  get appends(): number {
    return this.process.appends;
  }

  story(): readonly string[] {
    return this.log.of(runStream(this.runId)).map(({ type }) => type);
  }

  /**
   * The facts that are the same for every schedule of crashes: ends, results and costs of nodes.
   */
  async result() {
    const run = await this.run();
    if (run.status === 'absent') throw new Error('there is no run');
    const { state } = await this.process.accounts.stateOf(accountStream(ACCOUNT));
    const nodes = await Promise.all(
      [...run.nodes].map(async ([path, node]) => {
        const output = await this.process.inputs.outputOf(run, node);
        const { status, end, used } = node;
        return [path, { status, code: end?.code ?? null, output, used }] as const;
      }),
    );
    const { deposited, available, held, charged } = state;
    return {
      status: run.status,
      settlement: run.settlement,
      nodes: Object.fromEntries(nodes.toSorted(([one], [other]) => (one < other ? -1 : 1))),
      money: { deposited, available, held, charged },
      lines: this.#chargedLines(),
      effects: [...this.server.effects].toSorted(([one], [other]) => (one < other ? -1 : 1)),
    };
  }

  #chargedLines(): readonly unknown[] {
    const captured = this.#accountEvents().filter(({ type }) => type === 'HoldCaptured');
    return captured.map(({ data }) =>
      (data as { readonly lines: readonly { readonly step: string }[] }).lines.toSorted(
        (one, other) => (one.step < other.step ? -1 : 1),
      ),
    );
  }

  #accountEvents(): readonly AccountEvent[] {
    return this.log.of(accountStream(ACCOUNT)).map((event) => codec.revive(event) as AccountEvent);
  }

  /** Every law of the ledger that an event breaks. */
  faults(): readonly string[] {
    const audit = new LedgerAudit();
    for (const event of this.log.of(accountStream(ACCOUNT))) {
      audit.take(codec.revive(event) as AccountEvent, event.position);
    }
    return audit.faults.map(({ law, position }) => `${law} at ${position}`);
  }
}

/** One process: what it has in memory is lost with it. */
class WorkflowsProcess {
  readonly accounts: Accounts;
  readonly streams: WorkflowStreams;
  readonly inputs: NodeInputs;
  readonly work: RunWork;
  readonly store: StoreDefinitionHandler;
  readonly start: StartRunHandler;
  readonly change: ChangeRunHandler;
  appends = 0;
  #isGone = false;

  constructor(world: WorkflowsWorld, crash: Crash | null = null) {
    const { log, views, blobs: all, clock, server } = world;
    const eventStore = this.#eventStoreOn(log, crash);
    const accountCodec = codec.for(accountEvents);
    this.accounts = new CommandRunner({ decider: accountDecider, eventStore, codec: accountCodec });
    const products = new Products([workflowProduct], { knots: 'knots' });
    const memory = new RejectionMemory(views, clock);
    const ledger = new AccountLedger(
      this.accounts,
      eventStore,
      codec,
      products,
      memory,
      { waitMsMax: 0 },
      clock,
    );
    const tools = this.#toolsOf(server);
    const blobs = new WorkflowBlobs(new JobBlobs(all), all);
    this.streams = new WorkflowStreams(eventStore, codec);
    this.inputs = new NodeInputs(blobs);
    const { streams, inputs } = this;
    const processes = new PaidProcesses(ledger, clock);
    const funds = new RunFunds(processes, streams, clock);
    const calls = new NodeCalls(tools, inputs, funds, streams, blobs, clock, logger);
    const controls = new ControlSteps(inputs, streams, blobs, clock);
    const settlement = new RunSettlement(processes, streams, clock);
    this.work = new RunWork(streams, inputs, calls, controls, funds, settlement, blobs, clock);
    this.store = new StoreDefinitionHandler(streams, blobs, tools, clock);
    this.start = new StartRunHandler(
      new WorkflowHandler(streams, blobs),
      streams,
      blobs,
      new FirstEstimate(tools, { inForce: () => world.meterPrices }, processes),
      funds,
      processes,
      { count: () => Promise.resolve(0) },
      clock,
    );
    this.change = new ChangeRunHandler(new RunAccess(streams), streams, clock);
  }

  #eventStoreOn(log: MemoryLog, crash: Crash | null): FaultyEventStore {
    const eventStore = new FaultyEventStore(log);
    const append = eventStore.append.bind(eventStore);
    eventStore.append = async (...order) => {
      this.appends += 1;
      const isLast = this.appends === crash?.append;
      if (isLast && crash.when === 'before') this.#isGone = true;
      this.#demandLife();
      const appended = await append(...order);
      if (isLast) this.#isGone = true;
      this.#demandLife();
      return appended;
    };
    return eventStore;
  }

  #demandLife(): void {
    if (this.#isGone) throw new StoreUnavailableError('the process is gone');
  }

  #toolsOf(server: KnotServer): Tools {
    const demandLife = (): void => this.#demandLife();
    class KnotTool implements ToolRunner<Knots, { readonly text: string }> {
      estimate({ knots: quantity }: Knots) {
        const line = { meter: 'knots', quantity, unitPriceMicroUsd: UNIT_PRICE, perUnits: 1 };
        return Promise.resolve({ lines: [line], rateCardVersion: 1 });
      }

      async run(input: Knots, { id }: ToolCall) {
        // Another call may end in between.
        await new Promise(setImmediate);
        demandLife();
        const output = { text: server.tie(input, id) };
        const used = [{ meter: 'knots', quantity: input.knots }];
        return { output, used, counters: { knots: input.knots } };
      }
    }
    const knot = defineTool({
      name: 'knot',
      description: 'Ties knots.',
      input: Knots,
      output: z.strictObject({ text: z.string() }),
      meters: { knots: 'knots' },
      runner: KnotTool,
    });
    const area = defineArea({ name: 'knots', module: KnotsModule, tools: [knot] });
    const runner = new KnotTool();
    return new Tools(new Areas([area]), { get: () => runner } as never);
  }
}
