import { randomBytes, randomUUID } from 'node:crypto';
import { Registry } from 'prom-client';
import { type CommandBus, type ICommand } from '@nestjs/cqrs';
import { type JobEvent, jobEvents, JobId, type JobSubmitted } from '#events/jobs/job.events.js';
import { type Bus } from '#platform/bus/bus.port.js';
import { BusError } from '#platform/bus/bus.errors.js';
import { createInProcessBus } from '#platform/bus/in-process/in-process-bus.js';
import { type HostedType } from '#platform/jobs/hosted-type.js';
import { AssignmentSender } from '#platform/jobs/assignment-sender.js';
import { JobBlobs } from '#platform/jobs/job-blobs.js';
import { JOB_DISPATCHER_LIMITS } from '#platform/jobs/dispatch-term.js';
import { JobDispatcher } from '#platform/jobs/job-dispatcher.js';
import { JobHost } from '#platform/jobs/job-host.js';
import { JobStreams } from '#platform/jobs/job-streams.js';
import { type AnyJobType } from '#platform/jobs/job-type.js';
import {
  ChangeJobCommand,
  CompleteJobCommand,
  EndAttemptCommand,
  ReportProgressCommand,
} from '#platform/jobs/job.commands.js';
import { JobMetrics } from '#platform/jobs/job.metrics.js';
import { JobSeal } from '#platform/jobs/job.seal.js';
import {
  type KnotsInput,
  knotsHosted,
  KnotsLog,
  knotsType,
} from '#platform/jobs/knots.job.fake.js';
import { busReportSink, logReportSink } from '#platform/jobs/report-sink.js';
import { systemClock } from '#platform/kernel/clock.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { FaultyEventStore, FaultyReadStore } from '#platform/runtime/faulty-stores.fake.js';
import { ProcessFacts } from '#platform/runtime/process/process-facts.js';
import { Runtime } from '#platform/runtime/runtime.js';
import { anyContext, silent } from '#platform/runtime/stock.fixture.js';
import { ChangeJobHandler } from './change-job.handler.js';
import { CompleteJobHandler } from './complete-job.handler.js';
import { EndAttemptHandler } from './end-attempt.handler.js';
import { jobsArea } from './jobs.area.js';
import { KeepJobBlobCommand, KeepJobBlobHandler } from './keep-job-blob.handler.js';
import { MemoryBlobs } from '#platform/blobs/memory-blobs.fake.js';
import { ProjectedOpenJobs } from './projected-open-jobs.js';
import { ReleaseJobBlobCommand, ReleaseJobBlobHandler } from './release-job-blob.handler.js';
import { ReportProgressHandler } from './report-progress.handler.js';
import { ReportedAttempts } from './reported-attempts.js';
import { TakeJobReportCommand, TakeJobReportHandler } from './take-job-report.handler.js';

/** Longer than a busy machine lets a process wait; specs of lost hosts set a shorter one. */
const SILENCE_MS = 10_000;
const HOST_LIMITS = { askMs: 30, progressMs: 20, stopMsMax: 300 };

/** The bus as one process reaches it, until it is cut off. */
class CuttableBus implements Pick<Bus, 'publish' | 'listen' | 'health'> {
  isCut = false;
  /** Publishing to topics that start so fails. */
  failing: string | null = null;

  constructor(private readonly bus: Bus) {}

  publish(...[topic, messages]: Parameters<Bus['publish']>): Promise<void> {
    const fails = this.isCut || (this.failing !== null && topic.startsWith(this.failing));
    if (fails) return Promise.reject(new BusError('bus-unavailable', 'the bus is cut off'));
    return this.bus.publish(topic, messages);
  }

  listen(options: Parameters<Bus['listen']>[0]): ReturnType<Bus['listen']> {
    const handle: typeof options.handle = (message) => {
      if (!this.isCut) options.handle(message);
    };
    return this.bus.listen({ ...options, handle });
  }

  health(): ReturnType<Bus['health']> {
    return Promise.resolve({ reachable: !this.isCut, reason: this.isCut ? 'cut' : null });
  }
}

export interface FleetHost {
  readonly host: JobHost;
  readonly bus: CuttableBus;
  readonly knots: KnotsLog;
}

export interface FleetDispatcher {
  readonly dispatching: JobDispatcher;
  readonly bus: CuttableBus;
  stop(): Promise<void>;
}

export interface SubmitOptions {
  readonly jobId?: JobId;
  readonly accountId?: string;
  readonly after?: readonly JobId[];
  readonly parent?: JobId;
}

/** Hosts and dispatchers around one log and one bus, with the real decider, saga and handlers. */
export class JobFleet {
  readonly eventStore = new FaultyEventStore();
  readonly readStore = new FaultyReadStore();
  readonly bus = createInProcessBus();
  readonly blobs = new MemoryBlobs();
  readonly registry = new Registry();
  silenceMs = SILENCE_MS;
  readonly jobBlobs = new JobBlobs(this.blobs);
  readonly #seal = new JobSeal(randomBytes(32));
  readonly #hosts: FleetHost[] = [];
  readonly #dispatchers: FleetDispatcher[] = [];
  readonly runtime: Runtime;
  readonly streams: JobStreams;
  readonly #metrics: JobMetrics;
  readonly sender: { execute(command: ICommand): Promise<unknown> };

  constructor(readonly type: AnyJobType = knotsType()) {
    const { eventStore, readStore, bus } = this;
    const engines = { eventStore, readStore, bus, clock: systemClock, logger: silent };
    this.runtime = new Runtime(engines, [{ ...jobsArea, jobs: [type], leaderServices: [] }]);
    this.streams = new JobStreams(eventStore, this.runtime.codec);
    this.#metrics = new JobMetrics(this.registry, systemClock);
    const execute = this.#handlers();
    this.sender = { execute };
  }

  async start(): Promise<this> {
    await this.runtime.startProjections();
    await this.runtime.startReactions(this.sender);
    return this;
  }

  /** @param isWorker reports over the bus, as a process without stores */
  host(name: string, isWorker = true, type: Partial<AnyJobType['limits']> = {}): FleetHost {
    const bus = new CuttableBus(this.bus);
    const knots = new KnotsLog();
    const limits = { ...this.type.limits, ...type };
    const hosted: HostedType = knotsHosted(knots, { ...this.type, limits });
    const sink = isWorker
      ? busReportSink(bus, this.#seal)
      : logReportSink(this.sender, systemClock);
    const host = new JobHost({
      bus,
      host: name,
      seal: this.#seal,
      sink,
      read: (accountId, blob, schema) => this.jobBlobs.read(accountId, blob, schema),
      logger: silent,
      limits: HOST_LIMITS,
    });
    host.start([hosted]);
    const opened = { host, bus, knots };
    this.#hosts.push(opened);
    return opened;
  }

  /** The process of the host ends without a word. */
  kill({ host, bus }: FleetHost): void {
    bus.isCut = true;
    void host.drain(0);
  }

  async dispatcher(
    instance = 'leader-1',
    facts: Partial<ProcessFacts> = {},
  ): Promise<FleetDispatcher> {
    const bus = new CuttableBus(this.bus);
    const { runtime, eventStore, silenceMs } = this;
    const { projections, codec, jobTypes } = runtime;
    const dispatching = new JobDispatcher(
      bus,
      eventStore,
      new ProjectedOpenJobs(projections, this.streams, codec),
      new AssignmentSender(bus, this.#seal, jobTypes, this.jobBlobs),
      jobTypes,
      this.#metrics,
      { ...JOB_DISPATCHER_LIMITS, stopMsMax: 1_000, silenceMs },
      new ProcessFacts({ instance, sharesBus: true, runsReactions: true, ...facts }),
      systemClock,
      silent,
    );
    await dispatching.start(this.sender);
    const opened = { dispatching, bus, stop: () => dispatching.stop() };
    this.#dispatchers.push(opened);
    return opened;
  }

  async submit(input: Partial<KnotsInput> = {}, options: SubmitOptions = {}): Promise<JobId> {
    const { jobId = JobId.parse(randomUUID()), accountId = '1', after = [], parent } = options;
    const content = { knots: 2, pauseMs: 0, failsWith: '', ...input };
    const now = Date.now();
    const data: JobSubmitted['data'] = {
      jobId,
      accountId,
      type: this.type.name,
      submittedAt: new Date(now).toISOString(),
      input: await this.jobBlobs.put(accountId, content),
      summary: {},
      hold: null,
      after: [...after],
      parent: parent ?? null,
      retryOf: null,
      attemptsMax: this.type.retry.attemptsMax,
      startBefore: new Date(now + this.type.limits.queueMsMax).toISOString(),
      runMsMax: this.type.limits.runMsMax,
    };
    await this.streams.run({ type: 'SubmitJob', data }, anyContext());
    return jobId;
  }

  async cancel(jobId: JobId, stopMs = 1_000): Promise<void> {
    const requestedAt = new Date().toISOString();
    const stopBy = new Date(Date.now() + stopMs).toISOString();
    const command = { type: 'CancelJob', data: { jobId, requestedAt, stopBy } } as const;
    await this.streams.run(command, contextOf(randomUUID(), 'spec'));
  }

  /** Every event of jobs, in the order of the log. */
  events(): readonly JobEvent[] {
    const codec = this.runtime.codec.for(jobEvents);
    return this.eventStore.log.events.map((recorded) => codec.revive(recorded));
  }

  eventsOf(jobId: string): readonly JobEvent[] {
    return this.events().filter(({ data }) => data.jobId === jobId);
  }

  typesOf(jobId: string): readonly string[] {
    return this.eventsOf(jobId).map(({ type }) => type);
  }

  has(jobId: string, type: JobEvent['type']): boolean {
    return this.typesOf(jobId).includes(type);
  }

  metrics(): Promise<string> {
    this.#metrics.collect();
    return this.registry.metrics();
  }

  async close(): Promise<void> {
    await Promise.all(this.#hosts.map(({ host }) => host.drain(0)));
    await Promise.all(this.#dispatchers.map((one) => one.stop()));
    await this.runtime.stop();
    await this.bus.close();
  }

  #handlers(): (command: ICommand) => Promise<unknown> {
    const { streams, jobBlobs } = this;
    const reports = new ReportedAttempts(streams, jobBlobs, this.runtime.jobTypes);
    const execute = async (command: ICommand): Promise<unknown> => {
      if (command instanceof ChangeJobCommand) {
        return new ChangeJobHandler(streams, systemClock).execute(command);
      }
      if (command instanceof ReportProgressCommand) {
        return new ReportProgressHandler(reports, streams).execute(command);
      }
      if (command instanceof CompleteJobCommand) {
        return new CompleteJobHandler(reports, streams).execute(command);
      }
      if (command instanceof EndAttemptCommand) {
        return new EndAttemptHandler(reports, streams).execute(command);
      }
      if (command instanceof TakeJobReportCommand) {
        // The handler only sends commands with it.
        const commands = { execute } as unknown as CommandBus;
        return new TakeJobReportHandler(this.#seal, commands, systemClock).execute(command);
      }
      if (command instanceof KeepJobBlobCommand) {
        return new KeepJobBlobHandler(jobBlobs).execute(command);
      }
      if (command instanceof ReleaseJobBlobCommand) {
        return new ReleaseJobBlobHandler(jobBlobs).execute(command);
      }
      throw new Error(`no handler of ${command.constructor.name}`);
    };
    return execute;
  }
}
