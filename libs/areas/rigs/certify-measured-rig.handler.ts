import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { JobId } from '#events/jobs/job.events.js';
import { type RigCertified, rigEvents } from '#events/rigs/rig.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { Jobs } from '#platform/jobs/jobs.port.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { BADGE_THRESHOLDS, CERTIFICATION_MS } from './badge-thresholds.js';
import {
  certificationDecider,
  type CertificationState,
  type CertifyRig,
} from './certification.decider.js';
import { type MeasuredFacts } from './certification-facts.js';
import { certificationJob } from './certification.job.js';

/** The command of the saga; it may come twice. */
export class CertifyMeasuredRigCommand extends Command<void> {
  constructor(
    readonly data: { readonly jobId: string },
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(CertifyMeasuredRigCommand)
export class CertifyMeasuredRigHandler implements ICommandHandler<CertifyMeasuredRigCommand> {
  readonly #runner: CommandRunner<CertifyRig, CertificationState, RigCertified>;

  constructor(
    private readonly jobs: Jobs,
    @Inject(EVENT_STORE) eventStore: EventStore,
    @Inject(CODEC) codec: EventCodec,
  ) {
    const decider = certificationDecider;
    this.#runner = new CommandRunner({ decider, eventStore, codec: codec.for(rigEvents) });
  }

  async execute({ data: { jobId }, context }: CertifyMeasuredRigCommand): Promise<void> {
    const facts = await this.#factsOf(jobId);
    if (!facts) return;
    const expiresAt = new Date(Date.parse(facts.measuredAt) + CERTIFICATION_MS).toISOString();
    const thresholds = [...BADGE_THRESHOLDS];
    const data = { ...facts, certificationId: jobId, thresholds, expiresAt };
    await this.#runner.run(`rig-${facts.rig}`, { type: 'CertifyRig', data }, context);
  }

  /** Null for a result that is no longer kept: a certification of it would have expired, too. */
  async #factsOf(jobId: string): Promise<MeasuredFacts | null> {
    try {
      return await this.jobs.result(certificationJob, JobId.parse(jobId));
    } catch (error) {
      if (error instanceof DomainError && error.code === 'job_result_gone') return null;
      throw error;
    }
  }
}
