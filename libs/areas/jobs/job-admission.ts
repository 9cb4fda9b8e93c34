import { Inject, Injectable } from '@nestjs/common';
import { type AnyJobType } from '#platform/jobs/job-type.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import { openJobs, openJobsPrefix } from '#projections/jobs/open-jobs.projection.js';
import { reject } from './jobs.errors.js';

/**
 * Bounds the open jobs of an account. It is exact for the submissions of one process; several
 * processes that submit at the same time may each exceed the limit by their submissions under way.
 */
@Injectable()
export class JobAdmission {
  /** Submissions under way, by account and type. */
  readonly #underWay = new Map<string, Set<Promise<unknown>>>();

  constructor(@Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'count'>) {}

  /**
   * Submits if the account may have one more open job of the type.
   * @throws DomainError `too_many_jobs`
   */
  async admit<Answer>(
    { name, limits }: AnyJobType,
    accountId: string,
    submit: () => Promise<Answer>,
  ): Promise<Answer> {
    const prefix = openJobsPrefix(accountId, name);
    const ahead = this.#underWay.get(prefix) ?? new Set();
    const submission = this.#demandRoom(prefix, limits.openPerAccountMax, [...ahead]).then(submit);
    const settled = submission.catch(() => undefined);
    this.#underWay.set(prefix, ahead.add(settled));
    try {
      return await submission;
    } finally {
      ahead.delete(settled);
      if (ahead.size === 0) this.#underWay.delete(prefix);
    }
  }

  /** @param ahead submissions that may or may not be counted already */
  async #demandRoom(
    prefix: string,
    openMax: number,
    ahead: readonly Promise<unknown>[],
  ): Promise<void> {
    const open = await this.projections.count(openJobs, prefix);
    if (open + ahead.length < openMax) return;
    if (ahead.length > 0) {
      await Promise.all(ahead);
      return this.#demandRoom(prefix, openMax, []);
    }
    reject(
      'too_many_jobs',
      `the account has ${open} open jobs of this type, of ${openMax} at most`,
    );
  }
}
