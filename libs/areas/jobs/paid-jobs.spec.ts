import { type JobEvent } from '#events/jobs/job.events.js';
import { completed, failed, hold, JOB, order, rows } from '#platform/jobs/job.fixture.js';
import { JobSubmitted } from '#events/jobs/job.events.js';
import { type JobCommand, jobDecider } from '#platform/jobs/job.decider.js';
import { type JobState } from '#platform/jobs/job.state.js';
import { type JobStreams } from '#platform/jobs/job-streams.js';
import { JobTypes } from '#platform/jobs/job-type.js';
import { knotsType } from '#platform/jobs/knots.job.fake.js';
import {
  DecidedState,
  paidProcessContract,
} from '#platform/ledger/paid-work/paid-process.contract.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { ChargeJobCommand, ChargeJobHandler } from './charge-job.handler.js';
import { JobFunds } from './job-funds.js';

const context = contextOf(JOB, 'saga:jobs');
/** Of a job that runs, and whose hold keeps 150 rows above what is used. */
const submitted = JobSubmitted.of({ ...order, hold: { ...hold, ahead: [rows(150)] } });

paidProcessContract('jobs', {
  hold,
  now: order.submittedAt,
  open: (processes, clock) => {
    const streamsOf = (...facts: readonly JobEvent[]) => {
      const decided = new DecidedState<JobCommand, JobState, JobEvent>(jobDecider, facts);
      return {
        run: decided.run,
        stateOf: () => Promise.resolve(decided.state),
      } as unknown as JobStreams;
    };
    return {
      extend: async () => {
        const funds = new JobFunds(processes, streamsOf(submitted), clock);
        const held = await funds.openJob(JOB);
        if (held) await funds.extend(held, context);
      },
      end: (status) => {
        const streams = streamsOf(
          submitted,
          status === 'completed' ? completed(3) : failed('torn'),
        );
        const types = new JobTypes([knotsType({ name: order.type })]);
        const handler = new ChargeJobHandler(processes, streams, types, clock);
        return handler.execute(new ChargeJobCommand({ jobId: JOB }, context));
      },
    };
  },
});
