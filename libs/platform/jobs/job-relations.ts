import { type EndOfJob, type OpenJob } from './open-job.js';

type DueOfRelation =
  | { readonly kind: 'fail'; readonly job: OpenJob; readonly dependency: string }
  | { readonly kind: 'cancel'; readonly job: OpenJob }
  | { readonly kind: 'look'; readonly jobId: string };

/** The jobs that a job depends on: those it waits for, and its parent. */
const watchedBy = ({ after, parent }: OpenJob): readonly string[] =>
  parent === null ? after : [...after, parent];

/**
 * The dependencies between open jobs. A job waits for others, and fails when one of them did not
 * complete; a child is cancelled with its parent.
 */
export class JobRelations {
  /** The dependencies of an open job, by its id. */
  readonly #watched = new Map<string, readonly string[]>();
  /** Open jobs that depend on a job, by its id. */
  readonly #watchers = new Map<string, Set<string>>();
  /** How jobs ended that open jobs depend on. */
  readonly #ends = new Map<string, EndOfJob>();
  /** Jobs of which something is due, until the log shows that it is done. */
  readonly #due = new Map<string, DueOfRelation>();
  readonly #looks = new Set<string>();

  /** @param find an open job */
  constructor(private readonly find: (jobId: string) => OpenJob | undefined) {}

  /** @returns whether the job has to wait */
  review(job: OpenJob): boolean {
    const { jobId, after } = job;
    this.#due.delete(jobId);
    const watched = watchedBy(job);
    if (watched.length === 0) return false;
    this.#watched.set(jobId, watched);
    for (const id of watched) this.#watch(id, jobId);
    const broken = after.find((id) => this.#isBroken(id));
    const isWaiting = job.status === 'queued' || job.status === 'paused';
    if (this.#isOrphan(job)) this.#due.set(jobId, { kind: 'cancel', job });
    else if (broken !== undefined && isWaiting) {
      this.#due.set(jobId, { kind: 'fail', job, dependency: broken });
    }
    return after.some((id) => this.#ends.get(id) !== 'completed');
  }

  /** The job has ended, or is loaded again. */
  remove(jobId: string): void {
    this.#due.delete(jobId);
    const watched = this.#watched.get(jobId) ?? [];
    this.#watched.delete(jobId);
    for (const id of watched) {
      const watchers = this.#watchers.get(id);
      if (!watchers?.delete(jobId) || watchers.size > 0) continue;
      this.#watchers.delete(id);
      this.#ends.delete(id);
      this.#looks.delete(id);
    }
  }

  /** @returns the open jobs that depend on it, to be reviewed */
  learn(jobId: string, end: EndOfJob): readonly OpenJob[] {
    this.#looks.delete(jobId);
    if (!this.#watchers.has(jobId)) return [];
    this.#ends.set(jobId, end);
    return this.watchersOf(jobId);
  }

  watchersOf(jobId: string): readonly OpenJob[] {
    return [...(this.#watchers.get(jobId) ?? [])].flatMap((id) => {
      const job = this.find(id);
      return job ? [job] : [];
    });
  }

  due(): readonly DueOfRelation[] {
    const looks = [...this.#looks].map((jobId) => ({ kind: 'look', jobId }) as const);
    return [...looks, ...this.#due.values()];
  }

  #watch(id: string, watcher: string): void {
    const watchers = this.#watchers.get(id) ?? new Set();
    this.#watchers.set(id, watchers.add(watcher));
    if (!this.find(id) && !this.#ends.has(id)) this.#looks.add(id);
  }

  #isBroken(id: string): boolean {
    const end = this.#ends.get(id);
    return end === 'unfinished' || end === 'absent';
  }

  #isOrphan({ parent, status }: OpenJob): boolean {
    if (parent === null || status === 'cancelling') return false;
    return this.#ends.get(parent) === 'unfinished' || this.find(parent)?.status === 'cancelling';
  }
}
