import { Inject, Injectable } from '@nestjs/common';
import { type JobEvent, jobEvents } from '#events/jobs/job.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { type CommandOutcome, CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { type JobCommand, jobDecider } from './job.decider.js';
import { type JobState } from './job.state.js';

export const jobStream = (jobId: string): string => `job-${jobId}`;

/** Runs the commands of every job; one per process. */
@Injectable()
export class JobStreams {
  readonly #runner: CommandRunner<JobCommand, JobState, JobEvent>;

  constructor(@Inject(EVENT_STORE) eventStore: EventStore, @Inject(CODEC) codec: EventCodec) {
    const decider = jobDecider;
    this.#runner = new CommandRunner({ decider, eventStore, codec: codec.for(jobEvents) });
  }

  /** @throws DomainError `job_not_found`, `job_conflict`, `job_not_ended` */
  run(command: JobCommand, context: CommandContext): Promise<CommandOutcome<JobState, JobEvent>> {
    return this.#runner.run(jobStream(command.data.jobId), command, context);
  }

  /** The job as the log has it now. */
  async stateOf(jobId: string): Promise<JobState> {
    return (await this.#runner.stateOf(jobStream(jobId))).state;
  }
}
