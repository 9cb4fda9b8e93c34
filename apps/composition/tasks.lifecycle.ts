import { setTimeout as sleep } from 'node:timers/promises';
import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  Optional,
} from '@nestjs/common';
import { type Logger } from 'pino';
import { Catalog } from '#areas/catalog/catalog.js';
import { RIGS } from '#areas/inference/ports.js';
import { type RigRouter } from '#areas/inference/rigs/rig-router.js';
import { type BackOff, backOffMs } from '#platform/kernel/back-off.js';
import {
  type BusNeed,
  type ReadinessCheck,
  type ReadinessPart,
  type ReadinessReason,
} from '#platform/runtime/areas/operations.js';
import { ProcessRole } from '#platform/runtime/process/process-role.js';
import { Runtime } from '#platform/runtime/runtime.js';
import { LOGGER } from '#platform/runtime/tokens.js';
import { type TaskHosting, Tasks } from '#platform/tasks/tasks.port.js';

/** Between attempts to receive the replies of workers; each attempt has its own time limit. */
const BACK_OFF: BackOff = { firstMs: 250, maxMs: 5_000, jitter: 0.5 };

const missingReplies = (reason: string): ReadinessReason => ({
  code: 'worker_replies_unavailable',
  detail: `replies of workers are not received: ${reason}`,
});

/**
 * Prepares tasks in a gateway, which serves callers meanwhile: models of other servers need no
 * worker. Closes rigs, which run tasks, before tasks.
 */
@Injectable()
export class TasksLifecycle
  implements OnApplicationBootstrap, OnApplicationShutdown, ReadinessCheck, BusNeed
{
  readonly #stopped = new AbortController();
  #isListening = false;
  #failure = 'the broker has not answered yet';

  constructor(
    @Inject(Tasks) private readonly tasks: TaskHosting,
    private readonly role: ProcessRole,
    private readonly runtime: Runtime,
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'warn'>,
    // Absent in a process without the areas of models.
    @Optional() private readonly catalog?: Catalog,
    @Optional() @Inject(RIGS) private readonly rigs?: RigRouter,
  ) {}

  onApplicationBootstrap(): void {
    if (this.role.servesCallers) void this.#listen();
  }

  async onApplicationShutdown(): Promise<void> {
    this.#stopped.abort();
    await this.rigs?.close();
    await this.tasks.close();
  }

  readiness(): ReadinessPart {
    if (!this.role.servesCallers) return { reasons: [], facts: {} };
    const reason = this.#isListening ? null : this.#failure;
    const isMissed = reason !== null && this.#runsModels();
    return {
      reasons: isMissed ? [missingReplies(reason)] : [],
      facts: { tasks: { ready: reason === null, reason } },
    };
  }

  /** Sagas, relays and consumers use the bus, and the models that workers run. */
  needsBus(): boolean {
    const hasReactions = this.runtime.leadership() !== null || this.runtime.reactions().length > 0;
    return !this.role.servesCallers || hasReactions || this.#runsModels();
  }

  /** Whether the catalog has a model that runs as tasks. Such a model has a file. */
  #runsModels(): boolean {
    return this.catalog?.models().some(({ file }) => file !== null) ?? false;
  }

  async #listen(): Promise<void> {
    const { signal } = this.#stopped;
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      try {
        await this.tasks.listen();
        this.#isListening = true;
        return;
      } catch (error) {
        this.#failure = error instanceof Error ? error.message : String(error);
        this.logger.warn({ reason: this.#failure }, 'replies of workers are not received');
        const waitMs = backOffMs(BACK_OFF, attempt, Math.random());
        await sleep(waitMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }
}
