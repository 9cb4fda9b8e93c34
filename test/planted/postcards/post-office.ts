import {
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import {
  type MetricsSource,
  type ReadinessCheck,
  type ReadinessPart,
} from '#platform/runtime/areas/operations.js';
import { ProcessRole } from '#platform/runtime/process/process-role.js';
import { PostOfficeClosedError } from './postcards.errors.js';

/** Opens where callers are served, counts what it takes, and closes with the process. */
@Injectable()
export class PostOffice
  implements OnApplicationBootstrap, OnApplicationShutdown, ReadinessCheck, MetricsSource
{
  /** For the test: how often it was opened and closed. */
  opened = 0;
  closed = 0;
  readonly #taken: Counter;
  #waiting = 0;

  constructor(
    private readonly role: ProcessRole,
    registry: Registry,
  ) {
    this.#taken = new Counter({
      name: 'postcards_taken_total',
      help: 'Postcards taken by this process.',
      registers: [registry],
    });
  }

  get isOpen(): boolean {
    return this.opened > this.closed;
  }

  onApplicationBootstrap(): void {
    if (this.role.servesCallers) this.opened += 1;
  }

  onApplicationShutdown(): void {
    if (this.isOpen) this.closed += 1;
  }

  /** @throws PostOfficeClosedError */
  take(): void {
    if (!this.isOpen) throw new PostOfficeClosedError('the post office is closed');
    this.#waiting += 1;
  }

  readiness(): ReadinessPart {
    return { reasons: [], facts: { post_office: this.isOpen ? 'open' : 'closed' } };
  }

  collect(): void {
    this.#taken.inc(this.#waiting);
    this.#waiting = 0;
  }
}
