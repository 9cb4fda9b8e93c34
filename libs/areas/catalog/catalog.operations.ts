import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { type ReadinessCheck, type ReadinessPart } from '#platform/runtime/areas/operations.js';
import { ProcessEvents } from '#platform/runtime/process/process-events.js';
import { ProcessFacts } from '#platform/runtime/process/process-facts.js';
import { ProcessRole } from '#platform/runtime/process/process-role.js';
import { SettingsError } from '#platform/runtime/areas/settings.js';
import { CatalogError } from './catalog.error.js';
import { Catalog } from './catalog.js';

/** Starts the catalog where callers are served, stops it, and reports its state. */
@Injectable()
export class CatalogOperations
  implements OnApplicationBootstrap, OnApplicationShutdown, ReadinessCheck
{
  constructor(
    @Inject(Catalog) private readonly catalog: Catalog,
    private readonly role: ProcessRole,
    private readonly facts: ProcessFacts,
    private readonly events: ProcessEvents,
  ) {}

  /** Requests of callers need models and prices, and so do the jobs of a process with reactions. */
  get #isNeeded(): boolean {
    return this.role.servesCallers || this.facts.runsReactions;
  }

  /** @throws SettingsError for a catalog that cannot be used */
  async onApplicationBootstrap(): Promise<void> {
    if (!this.#isNeeded) return;
    this.events.onReload(() => this.catalog.reload());
    await this.catalog.start().catch((cause: unknown) => {
      if (!(cause instanceof CatalogError)) throw cause;
      throw new SettingsError(`bad settings\n  QUIPU_CATALOG: ${cause.message}`, { cause });
    });
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.#isNeeded) await this.catalog.stop();
  }

  /** A catalog that cannot be read keeps its last state: that is a fact and no reason. */
  readiness(): ReadinessPart {
    return { reasons: [], facts: { catalog: this.catalog.status() } };
  }
}
