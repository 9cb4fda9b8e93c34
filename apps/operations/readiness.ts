import { Inject, Injectable } from '@nestjs/common';
import { within } from '#platform/kernel/within.js';
import { type ReadinessCheck, type ReadinessPart } from '#platform/runtime/areas/operations.js';

export const READINESS_CHECKS = Symbol('ReadinessChecks');

/** Of one check. A report takes no longer than 500 ms. */
const CHECK_MS_MAX = 400;

/** The answer of `/health/ready`: the status, the reasons, and the facts of every check. */
export type ReadinessReport<Facts = Readonly<Record<string, unknown>>> = Facts & {
  readonly status: 'ready' | 'not_ready';
  /** Codes, each once; empty when ready. */
  readonly reasons: readonly string[];
  /** A sentence for each reason of each part. */
  readonly details: readonly string[];
};

/** Of a check that has never answered. */
const LATE: ReadinessPart = {
  reasons: [{ code: 'health_check_late', detail: `a check took longer than ${CHECK_MS_MAX} ms` }],
  facts: {},
};

/** Whether this process should receive requests, by all of its checks. */
@Injectable()
export class Readiness {
  readonly #heldBack = new Set<string>();
  readonly #last = new Map<ReadinessCheck, ReadinessPart>();

  constructor(@Inject(READINESS_CHECKS) private readonly checks: readonly ReadinessCheck[]) {}

  /** Reports not ready, with this code, until the caller calls the returned function. */
  holdBack(code: string): () => void {
    this.#heldBack.add(code);
    return () => void this.#heldBack.delete(code);
  }

  async parts(): Promise<readonly ReadinessPart[]> {
    const reasons = [...this.#heldBack].map((code) => ({ code, detail: code }));
    const parts = await Promise.all(this.checks.map((check) => this.#partOf(check)));
    return [{ reasons, facts: {} }, ...parts];
  }

  async report(): Promise<ReadinessReport> {
    const parts = await this.parts();
    const reasons = parts.flatMap((part) => part.reasons);
    const codes = [...new Set(reasons.map(({ code }) => code))];
    const details = reasons.map(({ detail }) => detail);
    const status = reasons.length === 0 ? 'ready' : 'not_ready';
    const facts = Object.fromEntries(parts.flatMap((part) => Object.entries(part.facts)));
    return { status, reasons: codes, details, ...facts };
  }

  #partOf(check: ReadinessCheck): Promise<ReadinessPart> {
    const asking = async (): Promise<ReadinessPart> => {
      const part = await check.readiness();
      this.#last.set(check, part);
      return part;
    };
    return within(asking(), CHECK_MS_MAX, () => this.#last.get(check) ?? LATE);
  }
}
