import { type JobEvent } from '#events/jobs/job.events.js';
import { type Position } from '#platform/event-store/event-store.port.js';
import { type ProjectionTo } from '#platform/kernel/projection.js';
import { HostBook } from './host-book.js';
import { type JobAttemptRef, type JobAsk } from './job.protocol.js';
import { JobQueue, type QueuedJob } from './job-queue.js';
import { JobRelations } from './job-relations.js';
import { type EndOfJob, type HeldJob, isHeld, type OpenJob } from './open-job.js';

/** The next action of the dispatcher. It is due again until the log shows that it is done. */
export type Due =
  /** Give the next attempt of the job to the host. */
  | { readonly kind: 'dispatch'; readonly job: OpenJob; readonly host: string }
  /** Send the dispatched attempt to its host. */
  | { readonly kind: 'assign'; readonly job: HeldJob }
  | { readonly kind: 'stop'; readonly host: string; readonly ref: JobAttemptRef }
  /** `lost`: the host is silent. `drained`: the host stops and did not take the attempt. */
  | { readonly kind: 'end'; readonly job: HeldJob; readonly reason: 'lost' | 'drained' }
  /** A job that it waits for did not complete. */
  | { readonly kind: 'fail'; readonly job: OpenJob; readonly dependency: string }
  /** Its parent was cancelled, or ended without a result. */
  | { readonly kind: 'cancel'; readonly job: OpenJob }
  /** Find out how a job ended. */
  | { readonly kind: 'look'; readonly jobId: string };

export interface DispatchBoardOptions {
  /** The read model of open jobs: its fold keeps the board current. */
  readonly projection: ProjectionTo<OpenJob>;
  /** 0 for a type that this build does not know. */
  readonly runningPerAccountMax: (type: string) => number;
  /** A host that is silent for longer has lost its attempts. */
  readonly silenceMs: number;
  /** A dispatch that the log does not show after this time is tried again. */
  readonly dispatchMsMax: number;
}

interface Known {
  readonly job: OpenJob;
  readonly position: Position;
}

/** When an attempt was last known to run. */
interface Sighting {
  readonly attempt: number;
  readonly atMs: number;
  /** No process can run it any more. */
  readonly isGone: boolean;
}

interface Reservation {
  readonly host: string;
  readonly untilMs: number;
}

/**
 * The state of the dispatcher: open jobs from the log, hosts from their asks, and the actions that
 * follow. It reads no clock and sends nothing. It is no second truth: the decider of the job
 * decides on every request.
 */
export class DispatchBoard {
  readonly #jobs = new Map<string, Known>();
  readonly #queue: JobQueue;
  readonly #hosts: HostBook;
  readonly #relations = new JobRelations((jobId) => this.#jobs.get(jobId)?.job);
  /** Of jobs that a host has. */
  readonly #sightings = new Map<string, Sighting>();
  readonly #assigned = new Map<string, number>();
  readonly #reserved = new Map<string, Reservation>();
  readonly #stops: (Due & { readonly kind: 'stop' })[] = [];
  /** Attempts that a host listed although they are not current, at its last ask. */
  #strays: ReadonlySet<string> = new Set();
  #judgesFromMs = Number.POSITIVE_INFINITY;

  constructor(private readonly options: DispatchBoardOptions) {
    this.#queue = new JobQueue(options.runningPerAccountMax);
    this.#hosts = new HostBook(options.silenceMs);
  }

  get queue(): Pick<JobQueue, 'depths'> {
    return this.#queue;
  }

  job(jobId: string): OpenJob | undefined {
    return this.#jobs.get(jobId)?.job;
  }

  /**
   * Starts again from the read model.
   * @param areGone no process runs the attempts of these jobs
   */
  load(jobs: readonly Known[], nowMs: number, areGone: boolean): void {
    for (const jobId of [...this.#jobs.keys()]) this.#remove(jobId);
    for (const known of jobs) this.#jobs.set(known.job.jobId, known);
    for (const { job } of jobs) {
      if (isHeld(job)) this.#sight(job, nowMs, areGone);
      this.#review(job);
    }
  }

  /** @returns the job before the event; undefined where the event changes nothing here */
  apply(event: JobEvent, position: Position, nowMs: number): OpenJob | undefined {
    const { jobId } = event.data;
    const known = this.#jobs.get(jobId);
    if (known ? position <= known.position : event.type !== 'JobSubmitted') return undefined;
    const { projection } = this.options;
    const before = known?.job ?? projection.initial(jobId);
    const job = projection.project(event, before, jobId);
    this.#reserved.delete(jobId);
    this.#stopAfter(event, before);
    if (job) this.#set({ job, position }, before, nowMs, isReport(event));
    else this.#end(jobId, event.type === 'JobCompleted' ? 'completed' : 'unfinished');
    return before;
  }

  hear(ask: JobAsk, nowMs: number): void {
    const heard = this.#hosts.hear(ask, nowMs);
    if (!heard) return;
    const strays = new Set<string>();
    for (const { jobId, attempt } of ask.running) {
      const job = this.#jobs.get(jobId)?.job;
      const isCurrent = job?.host === ask.host && job.attempt === attempt;
      if (isCurrent && isHeld(job)) this.#sight(job, nowMs, false);
      if (isCurrent && job.status !== 'cancelling') continue;
      const key = `${ask.host}/${jobId}.${attempt}`;
      // The log may be behind the ask, so a stray is stopped when it is listed twice.
      if (isCurrent || this.#strays.has(key)) this.#stop(ask.host, { jobId, attempt });
      strays.add(key);
    }
    const others = [...this.#strays].filter((key) => !key.startsWith(`${ask.host}/`));
    this.#strays = new Set([...others, ...strays]);
    if (heard.isRestarted) this.#loseUnlisted(ask.host, nowMs);
  }

  /** Judges the silence of hosts from now on; hosts could not be heard before. */
  judgeFrom(nowMs: number): void {
    this.#judgesFromMs = nowMs;
  }

  /** The attempt was sent to its host. */
  assigned({ jobId, attempt }: JobAttemptRef): void {
    this.#assigned.set(jobId, attempt);
  }

  /** The dispatch did not succeed. */
  release(jobId: string): void {
    if (!this.#reserved.delete(jobId)) return;
    const known = this.#jobs.get(jobId);
    if (known) this.#review(known.job);
  }

  learn(jobId: string, end: EndOfJob): void {
    for (const job of this.#relations.learn(jobId, end)) this.#review(job);
  }

  /**
   * @param nowMs monotonic
   * @param clockMs since the Unix epoch, for instants in the log
   */
  due(nowMs: number, clockMs: number): readonly Due[] {
    this.#hosts.expire(nowMs);
    for (const [jobId, { untilMs }] of this.#reserved) {
      if (untilMs <= nowMs) this.release(jobId);
    }
    return [
      ...this.#stops.splice(0),
      ...this.#relations.due(),
      ...this.#dueOfAttempts(nowMs),
      ...this.#place(nowMs, clockMs),
    ];
  }

  #dueOfAttempts(nowMs: number): readonly Due[] {
    return [...this.#sightings].flatMap(([jobId, sighting]): readonly Due[] => {
      const job = this.#jobs.get(jobId)?.job;
      if (!isHeld(job)) return [];
      const silentMs = nowMs - Math.max(sighting.atMs, this.#judgesFromMs);
      const isSilent = silentMs > this.options.silenceMs;
      const isStarted = job.status !== 'dispatched';
      // A host that still asks may start the attempt late.
      const isLost = isSilent && (isStarted || !this.#hosts.knows(job.host));
      if (sighting.isGone || isLost) return [{ kind: 'end', job, reason: 'lost' }];
      return isStarted ? [] : this.#dueOfDispatched(job);
    });
  }

  /** A host that asks and never starts it misses the time-out of the start, which the saga sees. */
  #dueOfDispatched(job: HeldJob): readonly Due[] {
    if (this.#hosts.isDraining(job.host) && !this.#hosts.lists(job)) {
      return [{ kind: 'end', job, reason: 'drained' }];
    }
    return this.#assigned.get(job.jobId) === job.attempt ? [] : [{ kind: 'assign', job }];
  }

  #place(nowMs: number, clockMs: number): readonly Due[] {
    const placed = this.#queue.place(this.#hosts.slots(this.#underWay()), clockMs);
    const untilMs = nowMs + this.options.dispatchMsMax;
    return placed.flatMap(({ jobId, host }): readonly Due[] => {
      const job = this.#jobs.get(jobId)?.job;
      if (!job) return [];
      this.#reserved.set(jobId, { host, untilMs });
      return [{ kind: 'dispatch', job, host }];
    });
  }

  /** Jobs that hosts have, or are about to get. */
  *#underWay(): Generator<HeldJob> {
    for (const jobId of this.#sightings.keys()) {
      const job = this.#jobs.get(jobId)?.job;
      if (isHeld(job)) yield job;
    }
    for (const [jobId, { host }] of this.#reserved) {
      const job = this.#jobs.get(jobId)?.job;
      if (job) yield { ...job, attempt: job.attempt + 1, host };
    }
  }

  #set(known: Known, before: OpenJob, nowMs: number, isSighted: boolean): void {
    const { job } = known;
    const { jobId, attempt, status } = job;
    this.#jobs.set(jobId, known);
    if (!isHeld(job)) this.#forgetAttempt(jobId);
    else if (isSighted || this.#sightings.get(jobId)?.attempt !== attempt) {
      this.#sight(job, nowMs, false);
    }
    this.#review(job);
    if (status === before.status) return;
    for (const related of this.#relations.watchersOf(jobId)) this.#review(related);
  }

  #end(jobId: string, end: EndOfJob): void {
    this.#remove(jobId);
    this.learn(jobId, end);
  }

  #remove(jobId: string): void {
    this.#jobs.delete(jobId);
    this.#reserved.delete(jobId);
    this.#queue.remove(jobId);
    this.#relations.remove(jobId);
    this.#forgetAttempt(jobId);
  }

  #forgetAttempt(jobId: string): void {
    this.#sightings.delete(jobId);
    this.#assigned.delete(jobId);
  }

  /** Brings the queue and the relations up to date with a job. */
  #review(job: OpenJob): void {
    const isBlocked = this.#relations.review(job);
    if (!this.#reserved.has(job.jobId)) this.#queue.put(queued(job, isBlocked));
  }

  /** A late report of an attempt that is gone does not bring it back. */
  #sight({ jobId, attempt }: HeldJob, atMs: number, isGone: boolean): void {
    const known = this.#sightings.get(jobId);
    const wasGone = known?.attempt === attempt && known.isGone;
    this.#sightings.set(jobId, { attempt, atMs, isGone: isGone || wasGone });
  }

  #loseUnlisted(host: string, nowMs: number): void {
    for (const jobId of this.#sightings.keys()) {
      const job = this.#jobs.get(jobId)?.job;
      const isStarted = job?.status === 'running' || job?.status === 'cancelling';
      if (!isHeld(job) || job.host !== host || !isStarted || this.#hosts.lists(job)) continue;
      this.#sight(job, nowMs, true);
    }
  }

  /** An attempt that the log ends without its host may still run there. */
  #stopAfter({ type, data }: JobEvent, before: OpenJob): void {
    if (!isHeld(before)) return;
    const { jobId, attempt, host } = before;
    switch (type) {
      case 'JobCancellationRequested':
      case 'JobCancelled':
      case 'JobFailed':
      case 'JobTimedOut':
        this.#stop(host, { jobId, attempt });
        return;
      case 'JobAttemptEnded':
        if (data.reason !== 'failed' && data.reason !== 'drained') {
          this.#stop(host, { jobId, attempt });
        }
        return;
      case 'JobSubmitted':
      case 'JobDispatched':
      case 'JobStarted':
      case 'JobProgressed':
      case 'JobRenewed':
      case 'JobPaused':
      case 'JobResumed':
      case 'JobCompleted':
      case 'JobSettled':
      case 'JobForgotten':
        return;
    }
  }

  #stop(host: string, ref: JobAttemptRef): void {
    this.#stops.push({ kind: 'stop', host, ref });
  }
}

/** Whether the host of the attempt caused the event: it was alive. */
const isReport = ({ type }: JobEvent): boolean => type === 'JobStarted' || type === 'JobProgressed';

const queued = (job: OpenJob, isBlocked: boolean): QueuedJob => {
  const { jobId, type, accountId, submittedAt } = job;
  return { jobId, type, accountId, submittedAt, state: stateOf(job, isBlocked) };
};

const stateOf = (job: OpenJob, isBlocked: boolean): QueuedJob['state'] => {
  if (isHeld(job)) return { kind: 'running', host: job.host };
  if (isBlocked || job.status !== 'queued') return { kind: 'blocked' };
  return { kind: 'ready', notBeforeMs: job.retryAt === null ? 0 : Date.parse(job.retryAt) };
};
