import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { jobEvents } from '#events/jobs/job.events.js';
import { type Bus } from '#platform/bus/bus.port.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { JobBlobs } from '#platform/jobs/job-blobs.js';
import { JobDispatcher, type LoadedJobs } from '#platform/jobs/job-dispatcher.js';
import { JobStreams } from '#platform/jobs/job-streams.js';
import { JobTypes } from '#platform/jobs/job-type.js';
import { JobMetrics } from '#platform/jobs/job.metrics.js';
import { JobSeal } from '#platform/jobs/job.seal.js';
import { isEnded } from '#platform/jobs/job.state.js';
import { type EndOfJob } from '#platform/jobs/open-job.js';
import { type Clock } from '#platform/kernel/clock.js';
import { allDocuments } from '#platform/runtime/projections/all-documents.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { type CommandSender, type LeaderService } from '#platform/runtime/areas/leader-service.js';
import { type RunnerStatus } from '#platform/runtime/subscriptions/log-progress.js';
import { ProcessFacts } from '#platform/runtime/process/process-facts.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { BUS, CLOCK, CODEC, EVENT_STORE, LOGGER, PROJECTIONS } from '#platform/runtime/tokens.js';
import { openJobs } from '#projections/jobs/open-jobs.projection.js';
import { JOB_SETTINGS, type JobSettings } from './jobs.settings.js';

const NOT_STARTED: RunnerStatus = {
  name: 'jobs.dispatcher',
  phase: 'closed',
  position: 0n,
  failure: null,
  retryAt: null,
};

/** Dispatches jobs in the process that runs the sagas. */
@Injectable()
export class JobDispatching implements LeaderService {
  #dispatcher: JobDispatcher | undefined;
  #hasLed = false;

  constructor(
    @Inject(BUS) private readonly bus: Bus,
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
    @Inject(CODEC) private readonly codec: EventCodec,
    @Inject(PROJECTIONS) private readonly projections: Projections,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(JOB_SETTINGS) private readonly settings: JobSettings,
    private readonly facts: ProcessFacts,
    private readonly types: JobTypes,
    private readonly blobs: JobBlobs,
    private readonly streams: JobStreams,
    private readonly seal: JobSeal,
    private readonly metrics: JobMetrics,
  ) {}

  start(sender: CommandSender): Promise<void> {
    const { bus, eventStore, types, blobs, seal, metrics, clock, logger } = this;
    const { silenceMs, stopMsMax } = this.settings;
    const { sharesBus } = this.facts;
    this.#dispatcher = new JobDispatcher({
      bus,
      eventStore,
      types,
      blobs,
      seal,
      metrics,
      clock,
      logger,
      sender,
      codec: this.codec.for(jobEvents),
      projection: openJobs,
      load: () => this.#load(),
      endOf: (jobId) => this.#endOf(jobId),
      limits: { silenceMs, stopMsMax },
      startsAlone: !sharesBus && !this.#hasLed,
    });
    this.#hasLed = true;
    this.#dispatcher.start();
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    await this.#dispatcher?.stop();
  }

  status(): RunnerStatus {
    return this.#dispatcher?.status() ?? NOT_STARTED;
  }

  /**
   * Pages are read one after the other, so the later ones may be newer than the position: each job
   * says how new it is.
   */
  async #load(): Promise<LoadedJobs> {
    const { documents, position } = await allDocuments(this.projections, openJobs);
    const jobs = documents.map(({ document: job, position: at }) => ({ job, position: at }));
    return { jobs, position };
  }

  async #endOf(jobId: string): Promise<EndOfJob | null> {
    const job = await this.streams.stateOf(jobId);
    if (job.status === 'absent') return 'absent';
    if (!isEnded(job)) return null;
    return job.status === 'completed' ? 'completed' : 'unfinished';
  }
}
