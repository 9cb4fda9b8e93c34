import { Injectable } from '@nestjs/common';
import { AccountShares } from '#platform/runtime/commands/account-shares.js';
import { TaskError } from '#platform/tasks/task.error.js';
import { Tasks } from '#platform/tasks/tasks.port.js';
import { type ProofsErrorCode, UnreadableProofError } from './proofs.errors.js';
import { type ProofsEnd, proofsEngine, type ProofsTask } from './proofs.engine.js';
import { ProofsFailureError } from './proofs.failures.js';

/** Verifications at once, of all accounts and of one. */
const TASKS = { total: 8, perAccount: 2, reserve: 4 };
/** Requests of one account that wait for their turn; the next one is rejected. */
export const WAITING_PER_ACCOUNT_MAX = 16;
const TURN_MS_MAX = 10_000;
/** The longest that a request may take: its turn, and the proofs of others in the thread. */
export const REQUEST_MS_MAX = 60_000;

type EndOf<Kind extends ProofsTask['kind']> = Extract<ProofsEnd, { readonly kind: Kind }>;

/** Verifies proofs as tasks, here or on a worker. Accounts take turns. */
@Injectable()
export class ProofRunner {
  readonly #turns = new AccountShares(TASKS);

  constructor(private readonly tasks: Tasks) {}

  /**
   * Undefined when the signal ended the run.
   * @throws UnreadableProofError, ProofsFailureError
   */
  async run<Task extends ProofsTask>(
    accountId: string,
    task: Task,
    signal: AbortSignal,
  ): Promise<EndOf<Task['kind']> | undefined> {
    const endTurn = await this.#turn(accountId, signal);
    if (endTurn === undefined) return undefined;
    try {
      const { value } = await this.tasks.run(proofsEngine, task, signal).next();
      return value === null ? undefined : (value as EndOf<Task['kind']>);
    } catch (error) {
      if (error instanceof TaskError) return rethrow(error);
      throw error;
    } finally {
      endTurn();
    }
  }

  /** Undefined when the signal aborts first. @throws ProofsFailureError `busy` */
  async #turn(accountId: string, signal: AbortSignal): Promise<(() => void) | undefined> {
    if (this.#turns.waitingOf(accountId) >= WAITING_PER_ACCOUNT_MAX) throw busy();
    const tooLong = AbortSignal.timeout(TURN_MS_MAX);
    try {
      return await this.#turns.enter(accountId, 1, AbortSignal.any([signal, tooLong]));
    } catch (error) {
      if (signal.aborted) return undefined;
      if (tooLong.aborted) throw busy({ cause: error });
      throw error;
    }
  }
}

const busy = (options?: ErrorOptions): ProofsFailureError =>
  new ProofsFailureError('busy', 'too many verifications wait; try again', options);

/** By the code of the engine. */
const UNREADABLE: Readonly<Record<string, ProofsErrorCode>> = {
  malformed: 'proof_malformed',
  coordinate_out_of_field: 'proof_coordinate_out_of_field',
  point_off_curve: 'proof_point_off_curve',
  point_in_wrong_subgroup: 'proof_point_in_wrong_subgroup',
  point_at_infinity: 'proof_point_at_infinity',
  scalar_out_of_field: 'proof_scalar_out_of_field',
  input_out_of_field: 'proof_input_out_of_field',
  input_count_wrong: 'proof_input_count_wrong',
  scheme_mismatch: 'proof_scheme_mismatch',
  key_without_secrets: 'proof_key_invalid',
};

const rethrow = (error: TaskError): never => {
  const { code, message } = error;
  const unreadable = UNREADABLE[code];
  if (unreadable) throw new UnreadableProofError(unreadable, message);
  switch (code) {
    case 'busy':
      throw busy({ cause: error });
    case 'no_worker':
    case 'worker_lost':
    case 'expired':
    case 'closed': {
      const detail = 'no process can verify a proof now; try again';
      throw new ProofsFailureError('away', detail, { cause: error });
    }
    default:
      throw new ProofsFailureError('failed', 'the verification failed', { cause: error });
  }
};
