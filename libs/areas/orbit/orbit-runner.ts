import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { AccountTurns } from '#platform/runtime/commands/account-turns.js';
import { outageOf, TaskError, type TaskOutage } from '#platform/tasks/task.error.js';
import { Tasks } from '#platform/tasks/tasks.port.js';
import { reject } from './orbit.errors.js';
import { OrbitFailure } from './orbit.failures.js';
import { type OrbitEnd, orbitsEngine, type OrbitTask } from './orbits.engine.js';

/** Computations at once, of all accounts and of one. */
export const TURNS = {
  total: 8,
  perAccount: 2,
  reserve: 4,
  waitingMax: 16,
  waitMsMax: 10_000,
};
/** From the turn to the end: the thread starts with its first task, and has tasks of others. */
const COMPUTED_MS_MAX = 60_000;
/** Results that are kept, so that a page after the first costs nothing. */
const RESULTS_MAX = 64;

type EndOf<Kind extends OrbitTask['kind']> = Extract<OrbitEnd, { readonly kind: Kind }>;

/** Runs computations as tasks, here or on a worker. Accounts take turns. */
@Injectable()
export class OrbitRunner {
  readonly #turns = new AccountTurns(TURNS, (options) => failureOf('busy', options));
  readonly #results = new LRUCache<string, OrbitEnd>({ max: RESULTS_MAX });

  constructor(private readonly tasks: Tasks) {}

  /** @throws DomainError for elements that SGP4 cannot propagate; OrbitFailure */
  async run<Task extends OrbitTask>(accountId: string, task: Task): Promise<EndOf<Task['kind']>> {
    const key = JSON.stringify(task);
    const end = this.#results.get(key) ?? (await this.#compute(accountId, task));
    this.#results.set(key, end);
    return end as EndOf<Task['kind']>;
  }

  #compute(accountId: string, task: OrbitTask): Promise<OrbitEnd> {
    return this.#turns.run(accountId, async () => {
      try {
        const pieces = this.tasks.run(orbitsEngine, task, AbortSignal.timeout(COMPUTED_MS_MAX));
        const { value } = await pieces.next();
        if (value !== null) return value;
      } catch (error) {
        if (error instanceof TaskError) return rethrow(error);
        throw error;
      }
      throw failureOf('busy');
    });
  }
}

const MESSAGES: Readonly<Record<TaskOutage, string>> = {
  busy: 'too many computations wait; try again',
  away: 'no process can compute orbits now; try again',
  failed: 'the computation failed',
};

const failureOf = (outage: TaskOutage, options?: ErrorOptions): OrbitFailure =>
  new OrbitFailure(outage, MESSAGES[outage], options);

const rethrow = (error: TaskError): never => {
  const { code, message } = error;
  if (code === 'elements_decayed' || code === 'elements_not_propagable') {
    return reject(code, message);
  }
  throw failureOf(outageOf(error), { cause: error });
};
