import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger } from 'pino';
import { type EventStore, type Position } from '#platform/event-store/event-store.port.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type AnyProjection, typesOf } from '#platform/kernel/projection.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { type EventCodec } from '../commands/event-codec.js';
import { collectionOf, type Generation, Generations, type Pointer } from './generations.js';
import { DocumentHistory } from '../history/document-history.js';
import { type LogProgress, type RunnerStatus } from '../subscriptions/log-progress.js';
import { ProjectionHandler } from './projection-handler.js';
import { ProjectionRebuild, type RebuildProgress } from './projection-rebuild.js';
import { type ProjectorLink } from '../projector/projector-link.js';
import { type Reached, type ReachRequest } from '../projector/projector.protocol.js';
import { ReaderLags } from '../subscriptions/reader-lags.js';
import { StoredCheckpoint } from '../subscriptions/stored-checkpoint.js';
import { type StoredProjection, storedProjections } from './stored-projections.js';
import { SubscriptionRunner } from '../subscriptions/subscription-runner.js';

export { type StoredProjection } from './stored-projections.js';

/**
 * How often a process checks whether another one has finished a rebuild; a query checks at once.
 */
export const ADOPT_EVERY_MS = 500;
/** How often the progress of a build is reported. */
const PROGRESS_EVERY_MS = 250;

/** The pause of a query whose generation this process does not run. */
const OTHER_GENERATION_MS = 20;

interface Deployed {
  readonly projection: AnyProjection;
  generation: Generation;
  progress: LogProgress;
}

/** Where a query reads a projection, and how far its documents have come. */
export interface Serving {
  readonly generation: Generation;
  readonly progress: LogProgress;
}

export interface ProjectionStatus extends Omit<RunnerStatus, 'offered'> {
  readonly projection: string;
  readonly version: number;
  readonly generation: number;
  /** The log's head less its position; "0" where nothing in between concerns it. */
  readonly lag: string;
  /** How long the oldest event that concerns it has waited to be in its documents. */
  readonly lagMs: number;
}

/**
 * Runs every projection in this process, or watches what another process builds. `Projections`
 * answers queries from it.
 *
 * A rebuild folds from zero into a collection of its own beside the one that serves. When it has
 * caught up, the pointer in the read store moves, every process adopts it, and the old collection
 * is dropped.
 *
 * A new version of a projection is built the same way, but its predecessor's documents have another
 * shape, so until it has caught up its queries wait or fail with `ProjectionLaggingError`. The
 * predecessor stays until the next start, for processes that still run the older build.
 */
export class ProjectionHost {
  readonly #deployed = new Map<string, Deployed>();
  readonly #generations: Generations;
  readonly #lags: ReaderLags;
  /** Where this process writes documents, by projection; none while another process builds them. */
  readonly #writable = new Map<string, ReadStore>();
  /** Work of a projection, or of several, that only the end of its term and `stop` wait for. */
  readonly #background = new Map<Promise<void>, string | undefined>();
  #adopting: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(
    private readonly projections: readonly AnyProjection[],
    private readonly eventStore: EventStore,
    private readonly readStore: ReadStore,
    readonly codec: EventCodec,
    readonly clock: Clock,
    private readonly logger: Logger,
    /** The projector of this process, if another thread is it: knows more than the checkpoints. */
    private readonly projector?: ProjectorLink,
  ) {
    this.#generations = new Generations(readStore);
    this.#lags = new ReaderLags(eventStore);
  }

  /** Of all projections. */
  get names(): readonly string[] {
    return this.projections.map(({ name }) => name);
  }

  /** Runs projections in this process, by default all, until `follow` or `stop`. */
  async start(
    readStore: ReadStore = this.readStore,
    names: readonly string[] = this.names,
  ): Promise<void> {
    for (const name of names) this.#writable.set(name, readStore);
    await this.#deployAll(names);
    const adoptAll = () => void this.#inBackground(this.#adoptAll());
    this.#adopting ??= setInterval(adoptAll, ADOPT_EVERY_MS).unref();
  }

  /** Does not run these projections, by default any; another process builds the documents. */
  async follow(names: readonly string[] = this.names): Promise<void> {
    for (const name of names) this.#writable.delete(name);
    if (this.#writable.size === 0) {
      clearInterval(this.#adopting);
      this.#adopting = undefined;
    }
    // Calls no store: an unavailable store may be why this process lost the lease.
    const running = names.flatMap((name) => this.#deployed.get(name) ?? []);
    await Promise.all(running.map((deployed) => this.#move(deployed, deployed.generation)));
    const theirs = [...this.#background].filter(([, name = '']) => names.includes(name));
    await Promise.all(theirs.map(([work]) => work));
    if (running.length === 0) await this.#deployAll(names);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#adopting);
    const deployed = [...this.#deployed.values()].map(({ progress }) => progress);
    await Promise.all(deployed.map((one) => one.stop()));
    await Promise.all(this.#background.keys());
  }

  /** @throws RangeError for a projection that no area declares */
  serving({ name }: AnyProjection): Serving {
    return this.#named(name);
  }

  /** Moves on to the generation that serves by now, if another process has replaced it. */
  async adopt({ name }: AnyProjection): Promise<void> {
    await this.#adopt(this.#named(name));
  }

  /**
   * Whether a query that read this generation read it whole: a collection may be dropped as soon as
   * a newer one of the same version serves.
   */
  async isCurrent({ name, version }: AnyProjection, { generation }: Generation): Promise<boolean> {
    const serving = await this.#generations.serving(name);
    return serving?.version !== version || serving.generation <= generation;
  }

  /**
   * For a query of another thread: waits for the generation that it reads. False at once where this
   * process runs another generation: the query looks for the one that serves.
   */
  async reach({ projection, collection, position, timeoutMs }: ReachRequest): Promise<Reached> {
    const deployed = this.#named(projection);
    if (!isOf(deployed, collection)) await this.#adopt(deployed);
    const { progress } = deployed;
    if (!isOf(deployed, collection)) {
      await sleep(Math.min(OTHER_GENERATION_MS, timeoutMs));
      return { reached: false, position: 0n };
    }
    const reached = await progress.reach(position, timeoutMs);
    return { reached, position: progress.position };
  }

  /** The statuses of all projections, without their lags. */
  runners(): Promise<readonly RunnerStatus[]> {
    const deployed = [...this.#deployed.values()];
    return Promise.all(deployed.map(async ({ progress }) => progress.status()));
  }

  async status(): Promise<readonly ProjectionStatus[]> {
    // Without a query since, this process may not know of a rebuild by another one.
    const isWhole = this.#writable.size === this.projections.length;
    if (!isWhole) await this.#adoptAll();
    const stored = isWhole || this.projector ? null : await this.#checkpoints();
    const readers = await Promise.all(
      [...this.#deployed.values()].map(async ({ projection, generation, progress }) => {
        const status = await progress.status();
        const elsewhere = this.#writable.has(projection.name) ? undefined : stored;
        const position = elsewhere?.get(status.name) ?? status.position;
        return { ...status, position, projection, generation, types: typesOf(projection.on) };
      }),
    );
    const lags = await this.#lags.of(readers);
    return readers.map(({ types: _, offered: _offered, projection, generation, ...status }) => {
      const { positions = 0n, since = null } = lags.get(status.name) ?? {};
      const lagMs = since === null ? 0 : Math.max(0, this.clock.now() - Date.parse(since));
      return { ...status, ...generation, projection: projection.name, lag: `${positions}`, lagMs };
    });
  }

  /** Reads the checkpoints; needs no `start`, so that any process may ask. */
  async stored(): Promise<readonly StoredProjection[]> {
    const [serving, checkpoints] = await Promise.all([
      this.#generations.allServing(),
      this.#checkpoints(),
    ]);
    return storedProjections(this.projections, serving, checkpoints, this.#lags);
  }

  /** @throws as `rebuildAll` */
  rebuild(name: string, onProgress?: RebuildProgress): Promise<void> {
    return this.rebuildAll([name], onProgress);
  }

  /**
   * Builds new generations in one walk over the log. Needs no `start`. Resolves when they serve and
   * the old ones are dropped. If one of them is stopped, the others still complete. An error that
   * `onProgress` throws ends the rebuild and leaves everything as it was.
   * @throws RangeError for an unknown name; RebuildStoppedError when an event stops a build
   */
  async rebuildAll(names: readonly string[], onProgress?: RebuildProgress): Promise<void> {
    const projections = this.#declared(names);
    const rebuild = new ProjectionRebuild(
      this.#generations,
      this.eventStore,
      (projection, generation) => this.#handler(projection, generation, this.readStore),
      async (name) => {
        const deployed = this.#deployed.get(name);
        if (deployed) await this.#adopt(deployed);
      },
    );
    const running = rebuild.run(projections, (position) => {
      if (this.#stopped) throw new Error('the rebuild was interrupted');
      onProgress?.(position);
    });
    const settled = Promise.allSettled([running]).then(() => {
      this.#background.delete(settled);
    });
    this.#background.set(settled, undefined);
    await running;
  }

  #declared(names: readonly string[]): readonly AnyProjection[] {
    return names.map((name) => {
      const projection = this.projections.find((one) => one.name === name);
      if (!projection) throw new RangeError(`no projection is called ${name}`);
      return projection;
    });
  }

  #named(name: string): Deployed {
    const deployed = this.#deployed.get(name);
    if (!deployed) throw new RangeError(`no projection is called ${name}`);
    return deployed;
  }

  async #checkpoints(): Promise<ReadonlyMap<string, Position>> {
    const found = await this.readStore.checkpoints();
    return new Map(found.map(({ name, position }) => [name, position]));
  }

  async #deployAll(names: readonly string[]): Promise<void> {
    const serving = await this.#generations.allServing();
    for (const projection of this.#declared(names)) {
      await this.#deploy(projection, serving.get(projection.name));
    }
  }

  async #deploy(projection: AnyProjection, serving: Pointer | undefined): Promise<void> {
    const { name, version } = projection;
    const serves = serving?.version === version;
    const generation = serves ? serving : await this.#generations.first(projection);
    const deployed = this.#deployed.get(name);
    if (deployed) await this.#move(deployed, generation);
    else this.#add(projection, generation);
    if (!this.#writable.has(name)) return;
    if (!serves) void this.#inBackground(this.#introduce(name, generation), name);
    else if (serving.replaced) await this.#generations.drop(name, serving.replaced);
  }

  #add(projection: AnyProjection, generation: Generation): void {
    const progress = this.#progress(projection, generation);
    this.#deployed.set(projection.name, { projection, generation, progress });
    progress.start();
  }

  async #move(deployed: Deployed, generation: Generation): Promise<void> {
    const { progress: before } = deployed;
    deployed.generation = generation;
    deployed.progress = this.#progress(deployed.projection, generation);
    deployed.progress.start();
    await before.stop();
  }

  /** Makes the first build of a version the one that serves, when it has caught up. */
  async #introduce(name: string, generation: Generation): Promise<void> {
    const progress = this.#deployed.get(name)?.progress;
    if (!progress || !(await this.#untilCaughtUp(progress))) return;
    const replaced = await this.#generations.serving(name);
    await this.#generations.serve(name, generation, replaced ?? null);
  }

  async #adoptAll(): Promise<void> {
    const serving = await this.#generations.allServing();
    const adopted = [...this.#deployed].map(([name, deployed]) =>
      this.#inBackground(this.#adoptServing(deployed, serving.get(name)), name),
    );
    await Promise.all(adopted);
  }

  async #adopt(deployed: Deployed): Promise<void> {
    await this.#adoptServing(deployed, await this.#generations.serving(deployed.projection.name));
  }

  /** Moves on to the generation that serves by now; queries wait until it has caught up. */
  async #adoptServing(deployed: Deployed, serving: Generation | undefined): Promise<void> {
    const { name, version } = deployed.projection;
    const isRunHere = this.#writable.has(name);
    if (this.#stopped || serving?.version !== version) return;
    const { generation: old } = deployed;
    // A process that builds nothing may have guessed the number of a first build, and too high.
    const isCurrent = isRunHere
      ? serving.generation <= old.generation
      : serving.generation === old.generation;
    if (isCurrent) return;
    await this.#move(deployed, serving);
    // The process that dropped it did not know that this one was still writing.
    if (isRunHere) await this.#generations.drop(name, old);
  }

  /**
   * Resolves when the work has ended, also after an error.
   * @param projection its name, or undefined for all of them
   */
  #inBackground(work: Promise<void>, projection?: string): Promise<void> {
    const settled = work
      .catch((error: unknown) => {
        this.logger.error({ err: error, projection }, 'a projection could not be switched');
      })
      .finally(() => this.#background.delete(settled));
    this.#background.set(settled, projection);
    return settled;
  }

  #progress(projection: AnyProjection, generation: Generation): LogProgress {
    const writable = this.#writable.get(projection.name);
    if (writable) return this.#runner(projection, generation, writable);
    const collection = collectionOf(projection.name, generation);
    if (this.projector) return this.projector.progress(projection.name, collection);
    return new StoredCheckpoint(projection, collection, this.eventStore, this.readStore);
  }

  #runner(
    projection: AnyProjection,
    generation: Generation,
    readStore: ReadStore,
  ): SubscriptionRunner {
    const handler = this.#handler(projection, generation, readStore);
    return new SubscriptionRunner(handler, this.eventStore, this.clock, this.logger);
  }

  #handler(
    projection: AnyProjection,
    generation: Generation,
    readStore: ReadStore,
  ): ProjectionHandler {
    const collection = collectionOf(projection.name, generation);
    const history = new DocumentHistory(collection, readStore, this.eventStore);
    return new ProjectionHandler(projection, collection, readStore, this.codec, history);
  }

  /** Resolves to false when the projection was stopped before. */
  async #untilCaughtUp(
    progress: LogProgress,
    onProgress?: (status: RunnerStatus) => void,
  ): Promise<boolean> {
    for (;;) {
      const reached = await progress.reach(await this.eventStore.head(), PROGRESS_EVERY_MS);
      const status = await progress.status();
      onProgress?.(status);
      if (reached || status.phase === 'closed') return reached;
    }
  }
}

const isOf = ({ projection, generation }: Deployed, collection: string): boolean =>
  collectionOf(projection.name, generation) === collection;
