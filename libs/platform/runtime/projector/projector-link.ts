import { setTimeout as sleep } from 'node:timers/promises';
import { type Position } from '#platform/event-store/event-store.port.js';
import { type ThreadCalls } from '#platform/threads/thread-calls.js';
import { type LogProgress, type RunnerStatus } from '../subscriptions/log-progress.js';
import {
  type ProcessCalls,
  type ProjectorCalls,
  type ProjectorStatus,
  type Reached,
  type ReachRequest,
} from './projector.protocol.js';

/** Appends within this time are announced together: the projector gathers events anyway. */
const ANNOUNCE_MS = 5;
/** The pause of a query between two attempts to ask a projector that restarts. */
const AWAY_MS = 50;

/** The calls to a projector: a thread of this process, or the process that leads its group. */
type Projector = Pick<ThreadCalls<ProjectorCalls, ProcessCalls>, 'call' | 'tell'>;

/**
 * The projector that works for this process, seen from the thread that answers requests: whether
 * documents have reached a position, and how its runners are. It outlives the threads that are the
 * projector.
 */
export class ProjectorLink {
  #calls: Projector | null = null;
  /** Why there is no projector now. */
  #absence = 'the projector has not started yet';
  #utilization: () => number = () => 0;
  #losses = 0;
  #announcing: NodeJS.Timeout | null = null;
  #asking: Promise<ProjectorStatus> | null = null;

  /** @param place `thread`: of this process, which reports it; `process`: reports itself */
  constructor(readonly place: 'thread' | 'process') {}

  /** How often a projector was lost. */
  get losses(): number {
    return this.#losses;
  }

  /** The part of its time that the projector worked, 0 to 1, since the last question. */
  get utilization(): number {
    return this.#calls === null ? 0 : this.#utilization();
  }

  /** The projector answers from now on. */
  connect(calls: Projector, utilization: () => number): void {
    this.#calls = calls;
    this.#utilization = utilization;
  }

  /** The projector is gone, for this reason; open calls have failed. */
  disconnect(reason: string): void {
    this.#calls = null;
    this.#absence = reason;
    this.#losses += 1;
  }

  /** This process has appended events. */
  announce(): void {
    this.#announcing ??= setTimeout(() => {
      this.#announcing = null;
      this.#calls?.tell('appended', null);
    }, ANNOUNCE_MS).unref();
  }

  /** The progress of one generation of a projection. */
  progress(projection: string, collection: string): LogProgress {
    return new LinkedProgress(this, projection, collection);
  }

  async reach(request: ReachRequest): Promise<Reached> {
    try {
      if (this.#calls === null) throw new Error(this.#absence);
      return await this.#calls.call('reach', request);
    } catch {
      await sleep(Math.min(AWAY_MS, request.timeoutMs));
      return { reached: false, position: 0n };
    }
  }

  /** One question at a time, for all callers. @throws Error with the reason of the absence */
  status(): Promise<ProjectorStatus> {
    if (this.#calls === null) return Promise.reject(new Error(this.#absence));
    this.#asking ??= this.#calls.call('status', null).finally(() => (this.#asking = null));
    return this.#asking;
  }

  async reload(): Promise<void> {
    await this.#calls?.call('reload', null);
  }
}

/** The progress of a projection that the projector of this process runs. */
class LinkedProgress implements LogProgress {
  #known: Position = 0n;

  constructor(
    private readonly link: ProjectorLink,
    private readonly projection: string,
    private readonly collection: string,
  ) {}

  get position(): Position {
    return this.#known;
  }

  start(): void {
    // Runs in the projector.
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }

  async reach(position: Position, timeoutMs: number): Promise<boolean> {
    if (this.#known >= position) return true;
    const { projection, collection } = this;
    const request = { projection, collection, position, timeoutMs };
    const answer = await this.link.reach(request);
    if (answer.position > this.#known) this.#known = answer.position;
    return answer.reached;
  }

  async status(): Promise<RunnerStatus> {
    try {
      const { projections } = await this.link.status();
      const found = projections.find(({ name }) => name === this.collection);
      if (!found) return this.#unknown('starting', null);
      if (found.position > this.#known) this.#known = found.position;
      return found;
    } catch (error) {
      return this.#unknown('stopped', error instanceof Error ? error.message : String(error));
    }
  }

  #unknown(phase: 'starting' | 'stopped', failure: string | null): RunnerStatus {
    const { collection: name } = this;
    return { name, phase, position: this.#known, failure, retryAt: null };
  }
}
