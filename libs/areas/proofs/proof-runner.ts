import { Injectable } from '@nestjs/common';
import { AccountTurns, unlessAborted } from '#platform/runtime/commands/account-turns.js';
import { outageOf, TaskError, type TaskOutage } from '#platform/tasks/task.error.js';
import { Tasks } from '#platform/tasks/tasks.port.js';
import { type ProofsErrorCode, UnreadableProofError } from './proofs.errors.js';
import { type ProofsEnd, proofsEngine, type ProofsTask } from './proofs.engine.js';
import { ProofsFailureError } from './proofs.failures.js';

/** Verifications at once, of all accounts and of one. */
export const TURNS = {
  total: 8,
  perAccount: 2,
  reserve: 4,
  waitingMax: 16,
  waitMsMax: 10_000,
};
/** The longest that a request may take: its turn, and the proofs of others in the thread. */
export const REQUEST_MS_MAX = 60_000;

type EndOf<Kind extends ProofsTask['kind']> = Extract<ProofsEnd, { readonly kind: Kind }>;

/** Verifies proofs as tasks, here or on a worker. Accounts take turns. */
@Injectable()
export class ProofRunner {
  readonly #turns = new AccountTurns(TURNS, (options) => failureOf('busy', options));

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
    const verify = async (): Promise<ProofsEnd | undefined> => {
      try {
        return (await this.tasks.run(proofsEngine, task, signal).next()).value ?? undefined;
      } catch (error) {
        if (error instanceof TaskError) return rethrow(error);
        throw error;
      }
    };
    const end = await this.#turns.run(accountId, verify, signal).catch(unlessAborted(signal));
    return end as EndOf<Task['kind']> | undefined;
  }
}

const MESSAGES: Readonly<Record<TaskOutage, string>> = {
  busy: 'too many verifications wait; try again',
  away: 'no process can verify a proof now; try again',
  failed: 'the verification failed',
};

const failureOf = (outage: TaskOutage, options?: ErrorOptions): ProofsFailureError =>
  new ProofsFailureError(outage, MESSAGES[outage], options);

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
  throw failureOf(outageOf(error), { cause: error });
};
