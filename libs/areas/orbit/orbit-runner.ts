import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { AccountShares } from '#platform/runtime/commands/account-shares.js';
import { TaskError } from '#platform/tasks/task.error.js';
import { Tasks } from '#platform/tasks/tasks.port.js';
import { reject } from './orbit.errors.js';
import { OrbitFailure } from './orbit.failures.js';
import { type OrbitEnd, orbitsEngine, type OrbitTask } from './orbits.engine.js';

/** Computations at once, of all accounts and of one. */
const TASKS = { total: 8, perAccount: 2, reserve: 4 };
/** Requests of one account that wait for their turn; the next one is rejected. */
export const WAITING_PER_ACCOUNT_MAX = 16;
export const TURN_MS_MAX = 10_000;
/** From the turn to the end: the thread starts with its first task, and has tasks of others. */
const COMPUTED_MS_MAX = 60_000;
/** Results that are kept, so that a page after the first costs nothing. */
const RESULTS_MAX = 64;

type EndOf<Kind extends OrbitTask['kind']> = Extract<OrbitEnd, { readonly kind: Kind }>;

/** Runs computations as tasks, here or on a worker. Accounts take turns. */
@Injectable()
export class OrbitRunner {
  readonly #turns = new AccountShares(TASKS);
  readonly #results = new LRUCache<string, OrbitEnd>({ max: RESULTS_MAX });

  constructor(private readonly tasks: Tasks) {}

  /** @throws DomainError for elements that SGP4 cannot propagate; OrbitFailure */
  async run<Task extends OrbitTask>(accountId: string, task: Task): Promise<EndOf<Task['kind']>> {
    const key = JSON.stringify(task);
    const end = this.#results.get(key) ?? (await this.#compute(accountId, task));
    this.#results.set(key, end);
    return end as EndOf<Task['kind']>;
  }

  async #compute(accountId: string, task: OrbitTask): Promise<OrbitEnd> {
    if (this.#turns.waitingOf(accountId) >= WAITING_PER_ACCOUNT_MAX) throw busy();
    const tooLong = AbortSignal.timeout(TURN_MS_MAX);
    const endTurn = await this.#turns.enter(accountId, 1, tooLong).catch((cause: unknown) => {
      throw busy({ cause });
    });
    try {
      const pieces = this.tasks.run(orbitsEngine, task, AbortSignal.timeout(COMPUTED_MS_MAX));
      const { value } = await pieces.next();
      if (value === null) throw busy();
      return value;
    } catch (error) {
      if (error instanceof TaskError) return rethrow(error);
      throw error;
    } finally {
      endTurn();
    }
  }
}

const busy = (options?: ErrorOptions): OrbitFailure =>
  new OrbitFailure('busy', 'too many computations wait; try again', options);

const rethrow = (error: TaskError): never => {
  const { code, message } = error;
  switch (code) {
    case 'elements_decayed':
    case 'elements_not_propagable':
      return reject(code, message);
    case 'busy':
      throw busy({ cause: error });
    case 'no_worker':
    case 'worker_lost':
    case 'expired':
    case 'closed': {
      const detail = 'no process can compute orbits now; try again';
      throw new OrbitFailure('away', detail, { cause: error });
    }
    default:
      throw new OrbitFailure('failed', 'the computation failed', { cause: error });
  }
};
