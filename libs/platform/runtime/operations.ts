/**
 * What an area adds to the operations pages of a process that loads it: readiness checks and
 * metrics. Both are providers of the area's module, listed by class in its declaration.
 */

/** The part of `/health/ready` that one provider knows. */
export interface ReadinessPart {
  /** Why this process should get no requests; empty when it may. */
  readonly reasons: readonly string[];
  /** Further fields of the report, by name. */
  readonly facts: Readonly<Record<string, unknown>>;
}

export interface ReadinessCheck {
  /** Resolves soon: a server that does not answer is a reason, not a wait. */
  readiness(): ReadinessPart | Promise<ReadinessPart>;
}

/** Registers its metrics with the injected `Registry`; this is called before each scrape. */
export interface MetricsSource {
  collect(): void | Promise<void>;
}

/** Whether this process cannot do its work without the bus. Injected by its class. */
export abstract class BusNeed {
  abstract needsBus(): boolean;
}
