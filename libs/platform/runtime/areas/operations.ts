/**
 * The additions of an area to the operations pages of a process that loads it: readiness checks and
 * metrics. Both are providers of the area's module, listed by class in its declaration.
 */

/** Why a process should get no requests. */
export interface ReadinessReason {
  /** Stable, for programs: `event_log_unavailable`. */
  readonly code: string;
  /** A sentence for people. */
  readonly detail: string;
}

/** The part of `/health/ready` that one provider knows. */
export interface ReadinessPart {
  /** Empty when the process may get requests. */
  readonly reasons: readonly ReadinessReason[];
  /** Further fields of the report, by name. */
  readonly facts: Readonly<Record<string, unknown>>;
}

export interface ReadinessCheck {
  /**
   * Resolves within 400 ms: a server that does not answer is a reason, not a wait. The last part of
   * a slower one is reported.
   */
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
