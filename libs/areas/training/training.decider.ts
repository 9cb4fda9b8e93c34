import {
  type TrainingEvent,
  TrainingOrdered,
  TrainingWithdrawn,
} from '#events/training/training.events.js';
import { type Decider } from '#platform/kernel/decider.js';
import { DomainError } from '#platform/kernel/domain-error.js';

export type TrainingErrorCode =
  | 'training_name_used'
  | 'training_model_unknown'
  | 'training_model_unsuitable'
  | 'training_vocabulary_mismatch'
  | 'training_text_unknown'
  | 'training_text_invalid'
  | 'training_field_invalid'
  | 'training_not_priced'
  | 'training_not_found';

export const reject = (code: TrainingErrorCode, detail: string): never => {
  throw new DomainError<TrainingErrorCode>(code, detail);
};

interface Named {
  readonly accountId: string;
  readonly jobId: string;
  readonly jobName: string;
}

export type TrainingCommand =
  | { readonly type: 'OrderTraining'; readonly data: Named & { readonly orderedAt: string } }
  | { readonly type: 'WithdrawTraining'; readonly data: Named & { readonly withdrawnAt: string } };

/** The trainings of an account. */
export interface AccountTrainings {
  /** The job that has used a name. */
  readonly jobs: ReadonlyMap<string, string>;
  /** The numbers of jobs, also of withdrawn ones. */
  readonly numbers: ReadonlyMap<string, number>;
}

const decide = (
  { type, data }: TrainingCommand,
  { jobs, numbers }: AccountTrainings,
): readonly TrainingEvent[] => {
  const holder = jobs.get(data.jobName);
  switch (type) {
    case 'OrderTraining': {
      // A repeated request has the id of the first one.
      if (holder === data.jobId) return [];
      if (holder !== undefined) {
        const detail = `job_name: the account has used ${data.jobName} already`;
        return reject('training_name_used', detail);
      }
      return [TrainingOrdered.of({ ...data, number: numbers.get(data.jobId) ?? numbers.size + 1 })];
    }
    case 'WithdrawTraining':
      return holder === data.jobId ? [TrainingWithdrawn.of(data)] : [];
  }
};

const evolve = (state: AccountTrainings, event: TrainingEvent): AccountTrainings => {
  const { jobId, jobName } = event.data;
  switch (event.type) {
    case 'TrainingOrdered':
      return {
        jobs: new Map([...state.jobs, [jobName, jobId]]),
        numbers: new Map([...state.numbers, [jobId, event.data.number]]),
      };
    case 'TrainingWithdrawn':
      return { ...state, jobs: new Map([...state.jobs].filter(([name]) => name !== jobName)) };
  }
};

export const trainingDecider: Decider<TrainingCommand, AccountTrainings, TrainingEvent> = {
  initialState: { jobs: new Map(), numbers: new Map() },
  decide,
  evolve,
};
