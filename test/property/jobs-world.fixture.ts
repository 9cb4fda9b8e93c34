import { type ICommand, type ICommandHandler } from '@nestjs/cqrs';
import { pino } from 'pino';
import { accountDecider } from '#areas/billing/account.decider.js';
import { AccountLedger } from '#areas/billing/account-ledger.js';
import { RejectionMemory } from '#areas/billing/explanations/rejection-memory.js';
import { type Accounts, accountStream } from '#areas/billing/accounts.js';
import { billingArea } from '#areas/billing/billing.area.js';
import { ExpireHoldCommand, ExpireHoldHandler } from '#areas/billing/expire-hold.handler.js';
import { LedgerAudit } from '#areas/billing/ledger-audit.js';
import { ChangeJobHandler } from '#areas/jobs/change-job.handler.js';
import { ChargeJobCommand, ChargeJobHandler } from '#areas/jobs/charge-job.handler.js';
import { CompleteJobHandler } from '#areas/jobs/complete-job.handler.js';
import { EndAttemptHandler } from '#areas/jobs/end-attempt.handler.js';
import { ForgetJobCommand, ForgetJobHandler } from '#areas/jobs/forget-job.handler.js';
import { JobAdmission } from '#areas/jobs/job-admission.js';
import { JobFunds } from '#areas/jobs/job-funds.js';
import { JobService } from '#areas/jobs/job-service.js';
import { jobsArea } from '#areas/jobs/jobs.area.js';
import { KeepJobBlobCommand, KeepJobBlobHandler } from '#areas/jobs/keep-job-blob.handler.js';
import {
  ReleaseJobBlobCommand,
  ReleaseJobBlobHandler,
} from '#areas/jobs/release-job-blob.handler.js';
import { RenewJobHoldCommand, RenewJobHoldHandler } from '#areas/jobs/renew-job-hold.handler.js';
import { ReportedAttempts } from '#areas/jobs/reported-attempts.js';
import { ReportProgressHandler } from '#areas/jobs/report-progress.handler.js';
import { RetryJobFundsCommand, RetryJobFundsHandler } from '#areas/jobs/retry-job-funds.handler.js';
import { type AccountEvent, accountEvents } from '#events/billing/account.events.js';
import { type JobEvent, jobEvents, type JobId } from '#events/jobs/job.events.js';
import { type Bus } from '#platform/bus/bus.port.js';
import { JobBlobs } from '#platform/jobs/job-blobs.js';
import { JobStreams, jobStream } from '#platform/jobs/job-streams.js';
import { type AnyJobType, JobTypes } from '#platform/jobs/job-type.js';
import {
  ChangeJobCommand,
  CompleteJobCommand,
  EndAttemptCommand,
  ReportProgressCommand,
} from '#platform/jobs/job.commands.js';
import { PaidProcesses } from '#platform/ledger/paid-work/paid-process.js';
import { Products } from '#platform/ledger/product.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type CommandContext, contextOf } from '#platform/runtime/commands/command-context.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { EventCodec } from '#platform/runtime/commands/event-codec.js';
import {
  FaultyEventStore,
  FaultyReadStore,
  MemoryLog,
} from '#platform/runtime/faulty-stores.fake.js';
import { ProjectionHandler } from '#platform/runtime/projections/projection-handler.js';
import { type AnySagaDeployment } from '#platform/runtime/sagas/saga-deployment.js';
import { SagaHandler, type SendCommand } from '#platform/runtime/sagas/saga-handler.js';
import { movableClock } from '#platform/runtime/stock.fixture.js';
import { type SubscriptionHandler } from '#platform/runtime/subscriptions/subscription-handler.js';
import { Timers } from '#platform/runtime/sagas/timers.js';
import { type JobRecord, jobKey, jobs } from '#projections/jobs/jobs.projection.js';
import { openJobs } from '#projections/jobs/open-jobs.projection.js';
import { MemoryBlobs } from '#platform/blobs/memory-blobs.fake.js';
import { weavingProduct } from './weaving.fixture.js';

export const ACCOUNT = '7';
const NAMESPACE = '01890a5d-ac96-774b-bcce-000000000000';
const logger = pino({ level: 'silent' });
const codec = new EventCodec([...accountEvents, ...jobEvents]);
const sagas: readonly AnySagaDeployment[] = [...jobsArea.sagas, ...billingArea.sagas];
const noBus = { publish: () => Promise.reject(new Error('no saga here publishes')) };

/** A UUID with this number. */
export const idOf = (number: number): string => derivedId(String(number), NAMESPACE);

/** The context of a request of its own. */
export const requestOf = (number: number): CommandContext => contextOf(idOf(number), 'spec');

/**
 * Jobs and accounts on stores in memory, without loops of their own: a spec runs the sagas and
 * moves the clock. `boot` starts another process on the same stores, as after a crash.
 */
export class JobsWorld {
  readonly clock = movableClock();
  readonly log = new MemoryLog();
  readonly views = new FaultyReadStore();
  readonly blobs = new MemoryBlobs();
  process: JobsProcess;
  #requests = 0;

  constructor(readonly type: AnyJobType) {
    this.process = new JobsProcess(this);
  }

  static async open(type: AnyJobType, depositMicroUsd: number): Promise<JobsWorld> {
    const world = new JobsWorld(type);
    const openedAt = world.now();
    await world.process.accounts.run(
      accountStream(ACCOUNT),
      { type: 'OpenAccount', data: { accountId: ACCOUNT, currency: 'USD', openedAt } },
      world.request(),
    );
    await world.deposit(depositMicroUsd);
    return world;
  }

  boot(): void {
    this.process = new JobsProcess(this);
  }

  now(): string {
    return new Date(this.clock.now()).toISOString();
  }

  request(): CommandContext {
    this.#requests += 1;
    return requestOf(1_000_000 + this.#requests);
  }

  async deposit(microUsd: number): Promise<void> {
    const context = this.request();
    const data = {
      accountId: ACCOUNT,
      depositId: context.requestId,
      amountMicroUsd: String(microUsd),
      method: 'manual_credit',
      reason: 'a present',
      depositedAt: this.now(),
    } as const;
    await this.process.accounts.run(
      accountStream(ACCOUNT),
      { type: 'DepositFunds', data },
      context,
    );
  }

  /** Moves the clock in steps of half a minute, and runs what is due at each. */
  async pass(seconds: number): Promise<void> {
    const endsMs = this.clock.nowMs + seconds * 1_000;
    while (this.clock.nowMs < endsMs) {
      this.clock.nowMs = Math.min(endsMs, this.clock.nowMs + 30_000);
      await this.process.react();
    }
  }

  /** The account as the log has it. */
  async money() {
    const { state } = await this.process.accounts.stateOf(accountStream(ACCOUNT));
    const { deposited, available, held, charged } = state;
    return { deposited, available, held, charged };
  }

  /** The types of a job's events, in their order. */
  story(jobId: string): readonly string[] {
    return this.log.of(jobStream(jobId)).map(({ type }) => type);
  }

  eventsOf(jobId: string): readonly JobEvent[] {
    return this.log.of(jobStream(jobId)).map((event) => codec.revive(event) as JobEvent);
  }

  /** Every law of the ledger that an event breaks. */
  faults(): readonly string[] {
    const audit = new LedgerAudit();
    for (const event of this.log.events) {
      if (!event.stream.startsWith('account-')) continue;
      audit.take(codec.revive(event) as AccountEvent, event.position);
    }
    return audit.faults.map(({ law, position }) => `${law} at ${position}`);
  }

  /** The command of the sweep of orphaned holds. */
  expiryOf(jobId: string): ExpireHoldCommand {
    const submitted = this.eventsOf(jobId).find(({ type }) => type === 'JobSubmitted');
    const holdId = submitted?.type === 'JobSubmitted' ? submitted.data.hold?.holdId : undefined;
    if (holdId === undefined) throw new Error(`${jobId} has no hold`);
    return new ExpireHoldCommand({ accountId: ACCOUNT, holdId }, this.request());
  }

  async shown(jobId: JobId): Promise<JobRecord | undefined> {
    await this.process.project();
    const job = await this.process.streams.stateOf(jobId);
    if (job.status === 'absent') return undefined;
    return (await this.views.get<JobRecord>('jobs', jobKey(job.order)))?.document;
  }
}

/** One process: what it has in memory is lost with it. */
class JobsProcess {
  readonly eventStore: FaultyEventStore;
  readonly accounts: Accounts;
  readonly ledger: AccountLedger;
  readonly streams: JobStreams;
  readonly service: JobService;
  readonly #handlers: ReadonlyMap<unknown, ICommandHandler>;
  readonly #projections: readonly SubscriptionHandler[];
  readonly #hosted: readonly { readonly handler: SagaHandler; readonly timers: Timers }[];

  constructor({ log, views, blobs: all, clock, type }: JobsWorld) {
    const eventStore = new FaultyEventStore(log);
    const accounts: Accounts = new CommandRunner({
      decider: accountDecider,
      eventStore,
      codec: codec.for(accountEvents),
    });
    const products = new Products([type.price?.product ?? weavingProduct]);
    const memory = new RejectionMemory(views, clock);
    const ledger = new AccountLedger(
      accounts,
      eventStore,
      codec,
      products,
      memory,
      { waitMsMax: 0 },
      clock,
    );
    const streams = new JobStreams(eventStore, codec);
    const blobs = new JobBlobs(all);
    const types = new JobTypes([type]);
    const settings = { fundsWaitMs: 600_000, stopMsMax: 30_000, silenceMs: 15_000 };
    const admission = new JobAdmission({
      count: async ({ name }, prefix) => {
        await this.project();
        return views.count(name, prefix);
      },
    });
    const processes = new PaidProcesses(ledger, clock);
    const funds = new JobFunds(processes, streams, clock);
    const reports = new ReportedAttempts(streams, blobs, types);
    this.eventStore = eventStore;
    this.accounts = accounts;
    this.ledger = ledger;
    this.streams = streams;
    this.service = new JobService(admission, processes, streams, blobs, types, settings, clock);
    this.#handlers = new Map<unknown, ICommandHandler>([
      [ExpireHoldCommand, new ExpireHoldHandler(accounts, clock)],
      [ChangeJobCommand, new ChangeJobHandler(streams, clock)],
      [ReportProgressCommand, new ReportProgressHandler(reports, streams)],
      [CompleteJobCommand, new CompleteJobHandler(reports, streams)],
      [EndAttemptCommand, new EndAttemptHandler(reports, streams)],
      [RenewJobHoldCommand, new RenewJobHoldHandler(funds, streams, settings, clock)],
      [RetryJobFundsCommand, new RetryJobFundsHandler(funds, streams, clock)],
      [ChargeJobCommand, new ChargeJobHandler(processes, streams, types, clock)],
      [KeepJobBlobCommand, new KeepJobBlobHandler(blobs)],
      [ReleaseJobBlobCommand, new ReleaseJobBlobHandler(blobs)],
      [ForgetJobCommand, new ForgetJobHandler(streams, blobs, clock)],
    ]);
    this.#projections = [jobs, openJobs].map(
      (projection) => new ProjectionHandler(projection, projection.name, views, codec),
    );
    this.#hosted = sagas.map(({ saga, toCommand }) => {
      const send: SendCommand = async (command, context) => {
        await this.execute(toCommand(command, context));
      };
      const handler = new SagaHandler(saga, views, codec, noBus as unknown as Bus, send);
      return { handler, timers: new Timers(saga.name, views, send, clock, logger) };
    });
  }

  /** As the command bus would. */
  async execute(command: ICommand): Promise<unknown> {
    const handler = this.#handlers.get(command.constructor);
    if (!handler) throw new Error(`no handler for ${command.constructor.name}`);
    return (await handler.execute(command)) as unknown;
  }

  /** Brings the read models to the end of the log. */
  async project(): Promise<void> {
    for (const handler of this.#projections) await this.#catchUp(handler);
  }

  /** Runs sagas and due timers until nothing more happens. */
  async react(): Promise<void> {
    let before: number;
    do {
      before = this.eventStore.log.events.length;
      for (const { handler } of this.#hosted) {
        await this.#catchUp(handler);
        await handler.save();
        await handler.save();
      }
      for (const { timers } of this.#hosted) {
        await timers.fireDue(new AbortController().signal);
      }
    } while (this.eventStore.log.events.length > before);
    for (const { timers } of this.#hosted) {
      const failure = timers.failure();
      if (failure !== null) throw new Error(failure);
    }
  }

  async #catchUp(handler: SubscriptionHandler): Promise<void> {
    const after = (await handler.checkpoint()) ?? 0n;
    const { events } = this.eventStore.log;
    const news = events.filter(({ position }) => position > after);
    const last = news.at(-1);
    if (!last) return;
    await handler.handle({ events: news, position: last.position, caughtUp: true });
  }
}
