import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { type Bus } from '#platform/bus/bus.port.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type CommandSender, type LeaderService } from '#platform/runtime/areas/leader-service.js';
import { ProcessFacts } from '#platform/runtime/process/process-facts.js';
import { type RunnerStatus } from '#platform/runtime/subscriptions/log-progress.js';
import { BUS, CLOCK, EVENT_STORE, LOGGER } from '#platform/runtime/tokens.js';
import { AssignmentSender } from './assignment-sender.js';
import {
  DISPATCHER,
  type DispatchServices,
  DispatchTerm,
  type JobDispatcherLimits,
} from './dispatch-term.js';
import { JobTypes } from './job-type.js';
import { JobMetrics } from './job.metrics.js';
import { OpenJobs } from './open-jobs.port.js';

/** The token of `JobDispatcherLimits`. */
export const DISPATCHER_LIMITS = Symbol('JobDispatcherLimits');

const NOT_STARTED: RunnerStatus = {
  name: DISPATCHER,
  phase: 'closed',
  position: 0n,
  failure: null,
  retryAt: null,
};

/** Dispatches jobs in the process that runs the sagas. */
@Injectable()
export class JobDispatcher implements LeaderService, DispatchServices {
  #term: DispatchTerm | undefined;

  constructor(
    @Inject(BUS) readonly bus: Pick<Bus, 'listen' | 'health'>,
    @Inject(EVENT_STORE) readonly eventStore: EventStore,
    readonly openJobs: OpenJobs,
    readonly assignments: AssignmentSender,
    readonly types: JobTypes,
    readonly metrics: JobMetrics,
    @Inject(DISPATCHER_LIMITS) readonly limits: JobDispatcherLimits,
    private readonly facts: ProcessFacts,
    @Inject(CLOCK) readonly clock: Clock,
    @Inject(LOGGER) readonly logger: Logger,
  ) {}

  start(sender: CommandSender): Promise<void> {
    const startsAlone = !this.facts.sharesBus && this.#term === undefined;
    this.#term = new DispatchTerm(this, sender, startsAlone);
    this.#term.start();
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    await this.#term?.stop();
  }

  status(): RunnerStatus {
    return this.#term?.status() ?? NOT_STARTED;
  }
}
