import { Inject, Injectable } from '@nestjs/common';
import { type ReadinessCheck } from '#platform/runtime/operations.js';

export const READINESS_CHECKS = Symbol('ReadinessChecks');

/** The answer of `/health/ready`: the status, the reasons, and the facts of every check. */
export type ReadinessReport<Facts = Readonly<Record<string, unknown>>> = Facts & {
  readonly status: 'ready' | 'not_ready';
  /** Empty when ready. */
  readonly reasons: readonly string[];
};

/** Whether this process should receive requests, by all of its checks. */
@Injectable()
export class Readiness {
  readonly #heldBack = new Set<string>();

  constructor(@Inject(READINESS_CHECKS) private readonly checks: readonly ReadinessCheck[]) {}

  /** Reports not ready, for this reason, until the caller calls the returned function. */
  holdBack(reason: string): () => void {
    this.#heldBack.add(reason);
    return () => void this.#heldBack.delete(reason);
  }

  async report(): Promise<ReadinessReport> {
    const parts = await Promise.all(this.checks.map(async (check) => check.readiness()));
    const reasons = [...this.#heldBack, ...parts.flatMap((part) => part.reasons)];
    const status = reasons.length === 0 ? 'ready' : 'not_ready';
    const facts = Object.fromEntries(parts.flatMap((part) => Object.entries(part.facts)));
    return { status, reasons, ...facts };
  }
}
