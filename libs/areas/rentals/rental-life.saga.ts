import {
  JobCancelled,
  JobCompleted,
  JobFailed,
  type JobId,
  JobTimedOut,
} from '#events/jobs/job.events.js';
import { PortBlockReserved } from '#events/rentals/rental.events.js';
import { RENTAL_JOB } from '#events/rentals/rental.job.js';
import { instantOf, timeOf } from '#platform/jobs/job.state.js';
import { type Saga, type SagaAction } from '#platform/kernel/saga.js';

interface OfRental {
  readonly rentalId: JobId;
}

export type RentalLifeCommand =
  /** Releases ports whose job was never submitted. */
  | { readonly type: 'ReclaimPorts'; readonly data: OfRental }
  | { readonly type: 'EndRental'; readonly data: OfRental };

type RentalLifeEvent = PortBlockReserved | JobCompleted | JobFailed | JobCancelled | JobTimedOut;

/** A submission that takes longer has lost its process. */
const SUBMISSION_MS_MAX = 600_000;

const TIMER = 'submission';

const react = ({ type, data }: RentalLifeEvent): readonly SagaAction<RentalLifeCommand>[] => {
  switch (type) {
    case 'PortBlockReserved': {
      const dueAt = instantOf(timeOf(data.reservedAt) + SUBMISSION_MS_MAX);
      const command = { type: 'ReclaimPorts', data: { rentalId: data.rentalId } } as const;
      return [{ kind: 'schedule', timer: TIMER, dueAt, command }];
    }
    case 'JobCompleted':
    case 'JobFailed':
    case 'JobCancelled':
    case 'JobTimedOut':
      return ended(data);
  }
};

const ended = ({
  jobId: rentalId,
  type,
}: {
  readonly jobId: JobId;
  readonly type: string;
}): readonly SagaAction<RentalLifeCommand>[] =>
  type === RENTAL_JOB
    ? [
        { kind: 'cancel', timer: TIMER },
        { kind: 'command', command: { type: 'EndRental', data: { rentalId } } },
      ]
    : [];

/** Frees the ports of a rental that has ended, or that never began. */
export const rentalLifeSaga: Saga<RentalLifeEvent, object, RentalLifeCommand> = {
  name: 'rental-life',
  on: { PortBlockReserved, JobCompleted, JobFailed, JobCancelled, JobTimedOut },
  key: ({ type, data }) => (type === 'PortBlockReserved' ? data.rentalId : data.jobId),
  initialState: {},
  evolve: (state, { type }) => (type === 'PortBlockReserved' ? state : null),
  react,
};
