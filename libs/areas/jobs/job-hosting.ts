import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { CommandBus } from '@nestjs/cqrs';
import { type Logger } from 'pino';
import { type Bus } from '#platform/bus/bus.port.js';
import { type AnyJobType, JobTypes } from '#platform/jobs/job-type.js';
import {
  type AnyJobRunner,
  hostedByRunner,
  hostedByTasks,
  type HostedType,
} from '#platform/jobs/hosted-type.js';
import { JobBlobs } from '#platform/jobs/job-blobs.js';
import { JobHost } from '#platform/jobs/job-host.js';
import { JobSeal } from '#platform/jobs/job.seal.js';
import { logReportSink } from '#platform/jobs/report-sink.js';
import { type Clock } from '#platform/kernel/clock.js';
import { ProcessEvents } from '#platform/runtime/process/process-events.js';
import { ProcessFacts } from '#platform/runtime/process/process-facts.js';
import { BUS, CLOCK, LOGGER } from '#platform/runtime/tokens.js';
import { Tasks } from '#platform/tasks/tasks.port.js';

/**
 * Runs attempts in a process that runs the reactions: of types whose runner is a provider of an
 * area and, where no worker can be reached, of types on engines.
 */
@Injectable()
export class JobHosting implements OnApplicationBootstrap, OnApplicationShutdown {
  #host: JobHost | undefined;

  constructor(
    @Inject(BUS) private readonly bus: Bus,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly facts: ProcessFacts,
    private readonly events: ProcessEvents,
    private readonly types: JobTypes,
    private readonly tasks: Tasks,
    private readonly blobs: JobBlobs,
    private readonly seal: JobSeal,
    private readonly commands: CommandBus,
    private readonly modules: ModuleRef,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.facts.hostsJobs) return;
    const { bus, logger, seal, blobs, commands, clock } = this;
    const { instance: host } = this.facts;
    this.#host = new JobHost({
      bus,
      host,
      seal,
      logger,
      types: this.types.list.flatMap((type) => this.#hosted(type) ?? []),
      sink: logReportSink(commands, clock),
      read: (accountId, blob, schema) => blobs.read(accountId, blob, schema),
    });
    this.#host.start();
    this.events.onDrain(async (ms) => this.#host?.drain(ms));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#host?.drain(0);
  }

  #hosted(type: AnyJobType): HostedType | null {
    const { place } = type;
    if (place.on === 'engine') return this.facts.sharesBus ? null : hostedByTasks(type, this.tasks);
    const runner = this.modules.get<AnyJobRunner>(place.runner, { strict: false });
    return hostedByRunner(type, runner);
  }
}
