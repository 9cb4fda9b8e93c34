import { type EventStore, type Position } from '#platform/event-store/event-store.port.js';
import { type AnyProjection } from '#platform/kernel/projection.js';
import { type Generation, type Generations } from './generations.js';
import { type ProjectionHandler } from './projection-handler.js';
import { walkOf } from '../subscriptions/log-walk.js';

/** Receives the position up to which events are handled. */
export type RebuildProgress = (position: Position) => void;

/** An event, or the read store, stopped the build of a projection. The old one keeps serving. */
export class RebuildStoppedError extends Error {
  override readonly name = 'RebuildStoppedError';
  readonly reason: string;

  constructor(
    readonly projection: string,
    /** Everything up to here is in the build. */
    readonly position: Position,
    cause: unknown,
  ) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`${projection} stopped after position ${position}: ${reason}`, { cause });
    this.reason = reason;
  }
}

interface Build {
  readonly projection: AnyProjection;
  readonly generation: Generation;
  readonly handler: ProjectionHandler;
}

/** Builds new generations of several projections in one walk over the log, and switches to them. */
export class ProjectionRebuild {
  constructor(
    private readonly generations: Generations,
    private readonly eventStore: EventStore,
    private readonly handlerOf: (
      projection: AnyProjection,
      generation: Generation,
    ) => ProjectionHandler,
    /** A new generation of the projection of this name serves. */
    private readonly onSwitched: (name: string) => Promise<void>,
  ) {}

  /**
   * @param onProgress an error that it throws ends the rebuild, and leaves everything as it was
   * @throws RebuildStoppedError when one of the builds was stopped; the others serve by then
   */
  async run(projections: readonly AnyProjection[], onProgress: RebuildProgress): Promise<void> {
    const unserved = new Set<Build>();
    try {
      for (const projection of projections) unserved.add(await this.#claim(projection));
      const stopped = await this.#walk([...unserved], onProgress);
      for (const build of unserved) {
        if (stopped.has(build)) continue;
        await this.#switchTo(build);
        unserved.delete(build);
      }
      const [first] = stopped.values();
      if (first) throw first;
    } finally {
      for (const { projection, generation } of unserved)
        await this.generations.drop(projection.name, generation);
    }
  }

  async #claim(projection: AnyProjection): Promise<Build> {
    const generation = await this.generations.claim(projection);
    return { projection, generation, handler: this.handlerOf(projection, generation) };
  }

  /** @returns the builds that were stopped */
  async #walk(
    builds: readonly Build[],
    onProgress: RebuildProgress,
  ): Promise<ReadonlyMap<Build, RebuildStoppedError>> {
    const positions = new Map(builds.map((build) => [build, 0n]));
    const interruption = new AbortController();
    const stopped = new Map<Build, RebuildStoppedError>();
    const moved = (build: Build, position: Position): void => {
      positions.set(build, position);
      try {
        onProgress(lowest(positions.values()));
      } catch (error) {
        interruption.abort(error);
      }
    };
    const caughtUp = builds.map(async (build) => {
      try {
        await this.#catchUp(build, interruption.signal, (position) => moved(build, position));
      } catch (error) {
        const { name } = build.projection;
        stopped.set(build, new RebuildStoppedError(name, positions.get(build) ?? 0n, error));
        positions.delete(build);
      }
    });
    await Promise.all(caughtUp);
    interruption.signal.throwIfAborted();
    return stopped;
  }

  async #catchUp(
    { handler }: Build,
    signal: AbortSignal,
    onPage: (position: Position) => void,
  ): Promise<void> {
    let reached = (await handler.checkpoint()) ?? 0n;
    await walkOf(this.eventStore).catchUp(handler, {
      after: reached,
      signal,
      onPage: (position) => {
        reached = position;
        onPage(position);
      },
    });
    await handler.settle(reached);
  }

  /** Makes a build that has caught up the one that serves. */
  async #switchTo({ projection: { name }, generation: next }: Build): Promise<void> {
    const replaced = await this.generations.serving(name);
    await this.generations.serve(name, next, replaced ?? null);
    await this.onSwitched(name);
    // A later rebuild may have been faster: then this one is superfluous.
    const serving = await this.generations.serving(name);
    const gone = serving?.generation === next.generation ? replaced : next;
    if (gone) await this.generations.drop(name, gone);
  }
}

const lowest = (positions: Iterable<Position>): Position =>
  [...positions].reduce((least, position) => (position < least ? position : least));
