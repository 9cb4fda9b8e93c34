import {
  BatchCancellationRequested,
  BatchCreated,
  BatchEnded,
  type BatchEvent,
  BatchFinalizing,
  BatchStarted,
  BatchWindowClosed,
} from '#events/batches/batch.events.js';
import { type Decider } from '#platform/kernel/decider.js';
import { DomainError } from '#platform/kernel/domain-error.js';

/** The fields of an event that the sender of a command states; the stream knows the rest. */
type Facts<Event extends { readonly data: object }> = Omit<Event['data'], 'accountId'>;

export type BatchCommand =
  | { readonly type: 'CreateBatch'; readonly data: BatchCreated['data'] }
  /** Records a batch whose input is not valid: it ends at once. */
  | {
      readonly type: 'RejectInput';
      readonly data: BatchCreated['data'] & Pick<BatchEnded['data'], 'faults'>;
    }
  | { readonly type: 'StartBatch'; readonly data: Facts<BatchStarted> }
  | { readonly type: 'RequestCancellation'; readonly data: Facts<BatchCancellationRequested> }
  | { readonly type: 'CloseWindow'; readonly data: Facts<BatchWindowClosed> }
  | { readonly type: 'StartFinalizing'; readonly data: Facts<BatchFinalizing> }
  | {
      readonly type: 'EndBatch';
      readonly data: Omit<Facts<BatchEnded>, 'outcome'> & { readonly jobOutcome: JobOutcome };
    };

/** How the job of the batch has ended. */
export type JobOutcome = 'completed' | 'failed' | 'cancelled' | 'timed_out';

export type BatchState =
  | { readonly status: 'absent' }
  | {
      readonly status: 'validating' | 'in_progress' | 'finalizing' | 'cancelling' | 'expiring';
      readonly created: BatchCreated['data'];
    }
  | {
      readonly status: BatchEnded['data']['outcome'];
      readonly created: BatchCreated['data'];
    };

export type BatchErrorCode = 'batch_not_found' | 'batch_not_cancellable';

const reject = (code: BatchErrorCode, detail: string): never => {
  throw new DomainError<BatchErrorCode>(code, detail);
};

const isOpen = ({ status }: BatchState): boolean =>
  status === 'validating' || status === 'in_progress';

export const isEnded = ({ status }: BatchState): boolean =>
  status === 'completed' || status === 'failed' || status === 'expired' || status === 'cancelled';

const rejectInput = (
  { faults, ...created }: Extract<BatchCommand, { type: 'RejectInput' }>['data'],
  state: BatchState,
): readonly BatchEvent[] => {
  if (state.status !== 'absent') return [];
  const { batchId, accountId, createdAt } = created;
  const ended = BatchEnded.of({
    batchId,
    accountId,
    outcome: 'failed',
    outputFileId: null,
    errorFileId: null,
    counts: { total: 0, completed: 0, failed: 0 },
    usage: [],
    faults,
    endedAt: createdAt,
  });
  return [BatchCreated.of(created), ended];
};

/** A job is cancelled at the wish of its account, or because the window is over. */
const outcomeOf = (
  jobOutcome: JobOutcome,
  { status }: BatchState,
): BatchEnded['data']['outcome'] => {
  switch (jobOutcome) {
    case 'completed':
    case 'failed':
      return jobOutcome;
    case 'timed_out':
      return 'expired';
    case 'cancelled':
      return status === 'expiring' ? 'expired' : 'cancelled';
  }
};

/** Commands on a batch that was created. */
type Change = Exclude<BatchCommand, { readonly type: 'CreateBatch' | 'RejectInput' }>;
type Created = Exclude<BatchState, { readonly status: 'absent' }>;

const change = ({ type, data }: Change, state: Created): readonly BatchEvent[] => {
  const { accountId } = state.created;
  switch (type) {
    case 'StartBatch':
      return state.status === 'validating' ? [BatchStarted.of({ ...data, accountId })] : [];
    case 'RequestCancellation':
      if (isOpen(state)) return [BatchCancellationRequested.of({ ...data, accountId })];
      if (state.status === 'cancelling' || state.status === 'cancelled') return [];
      return reject('batch_not_cancellable', `a batch that is ${state.status} cannot be cancelled`);
    case 'CloseWindow':
      return isOpen(state) ? [BatchWindowClosed.of({ ...data, accountId })] : [];
    case 'StartFinalizing': {
      const isDue = !isEnded(state) && state.status !== 'finalizing';
      return isDue ? [BatchFinalizing.of({ ...data, accountId })] : [];
    }
    case 'EndBatch': {
      if (isEnded(state)) return [];
      const { jobOutcome, ...facts } = data;
      const outcome = outcomeOf(jobOutcome, state);
      return [BatchEnded.of({ ...facts, accountId, outcome })];
    }
  }
};

const decide = (command: BatchCommand, state: BatchState): readonly BatchEvent[] => {
  switch (command.type) {
    case 'CreateBatch':
      return state.status === 'absent' ? [BatchCreated.of(command.data)] : [];
    case 'RejectInput':
      return rejectInput(command.data, state);
    case 'StartBatch':
    case 'RequestCancellation':
    case 'CloseWindow':
    case 'StartFinalizing':
    case 'EndBatch':
      if (state.status === 'absent') {
        return reject('batch_not_found', `there is no batch ${command.data.batchId}`);
      }
      return change(command, state);
  }
};

/** Events before the first one change nothing. */
const evolve = (state: BatchState, { type, data }: BatchEvent): BatchState => {
  if (type === 'BatchCreated') return { status: 'validating', created: data };
  if (state.status === 'absent') return state;
  const { created } = state;
  switch (type) {
    case 'BatchStarted':
      return isOpen(state) ? { status: 'in_progress', created } : state;
    case 'BatchCancellationRequested':
      return { status: 'cancelling', created };
    case 'BatchWindowClosed':
      return { status: 'expiring', created };
    case 'BatchFinalizing':
      return { status: 'finalizing', created };
    case 'BatchEnded':
      return { status: data.outcome, created };
  }
};

/** One batch: it ends once, with its files. */
export const batchDecider: Decider<BatchCommand, BatchState, BatchEvent> = {
  initialState: { status: 'absent' },
  decide,
  evolve,
};
