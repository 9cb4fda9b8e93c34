/** The head of a pipeline: its stages in order, its stand-by stages, and the runs that use them. */
import { LayersError } from '../llama-layers.errors.js';
import { divideLayers, type LayerRange } from '../model/layer-range.js';
import { type ReceivedFrame } from './frame-link.js';
import { drawSecret } from './pipeline-secret.js';
import { type LinkedStages, PipelineRun } from './pipeline-run.js';
import { StageClient } from './stage-client.js';
import { StageError } from './stage.error.js';

export interface PipelinePlan {
  readonly modelFile: string;
  /** Of the model. */
  readonly layers: number;
  readonly stages: number;
  /** Processes that wait, without weights, to take the place of a lost stage. */
  readonly standbys: number;
  /** The address at which stages listen. */
  readonly host: string;
  /** A stage without a sign of life for longer is lost; default: 15 seconds. */
  readonly silentMsMax?: number;
}

/** Losses in a row that are repaired before the pipeline gives up. */
const REPAIRS_MAX = 3;

export class Pipeline implements LinkedStages {
  readonly ranges: readonly LayerRange[];
  readonly #secret = drawSecret();
  readonly #stages: StageClient[] = [];
  readonly #standbys = new Set<Promise<StageClient>>();
  /** Every process that was started, so that none outlives the pipeline. */
  readonly #started = new Set<StageClient>();
  readonly #runs = new Map<number, PipelineRun>();
  #requests = 0;
  /** How often the stages have been linked; a run begins again when it grows. */
  #epoch = 0;
  /** Resolved when the stages are linked again, or the pipeline has failed. */
  #changed = Promise.withResolvers<null>();
  #isRepairing = false;
  #failure: LayersError | null = null;

  private constructor(private readonly plan: PipelinePlan) {
    this.ranges = divideLayers(plan.layers, plan.stages);
  }

  /** @throws StageError when no process can be started; LayersError when the model does not fit */
  static async open(plan: PipelinePlan): Promise<Pipeline> {
    const pipeline = new Pipeline(plan);
    try {
      await Promise.all(
        pipeline.ranges.map(async (range, at) => {
          pipeline.#stages[at] = await pipeline.#startLoaded(range);
        }),
      );
      await pipeline.#link();
    } catch (error) {
      pipeline.close();
      throw error;
    }
    pipeline.#standBy();
    return pipeline;
  }

  get failure(): LayersError | null {
    return this.#failure;
  }

  get pids(): readonly number[] {
    return this.#stages.map(({ pid }) => pid);
  }

  run(): PipelineRun {
    return new PipelineRun(this);
  }

  /** Resolves when every standby that was wanted has started or failed to. */
  async whenStandingBy(): Promise<void> {
    await Promise.allSettled(this.#standbys);
  }

  async linked(): Promise<number> {
    while (this.#isRepairing && this.#failure === null) await this.#changed.promise;
    if (this.#failure !== null) throw this.#failure;
    return this.#epoch;
  }

  async after(epoch: number): Promise<number> {
    while ((await this.linked()) === epoch) await this.#changed.promise;
    return this.#epoch;
  }

  enter(run: PipelineRun): number {
    this.#requests += 1;
    this.#runs.set(this.#requests, run);
    return this.#requests;
  }

  leave(request: number): void {
    this.#runs.delete(request);
  }

  /** @throws StageError */
  first(): StageClient {
    const [stage] = this.#stages;
    if (stage === undefined) throw new StageError('the pipeline has no stage');
    return stage;
  }

  close(): void {
    this.#fail(new LayersError('stage_lost', 'the pipeline was closed'));
  }

  #fail(error: LayersError): void {
    this.#failure ??= error;
    for (const stage of this.#started) stage.kill();
    for (const run of this.#runs.values()) run.interrupt(error);
    this.#change();
  }

  #change(): void {
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers();
    resolve(null);
  }

  async #startLoaded(range: LayerRange): Promise<StageClient> {
    const stage = await this.#start();
    await stage.call({ call: 'load', modelFile: this.plan.modelFile, range });
    return stage;
  }

  async #start(): Promise<StageClient> {
    const start = { secret: this.#secret, host: this.plan.host };
    const handlers = {
      onFrame: (frame: ReceivedFrame) => this.#receive(frame),
      onLost: (reason: string) => {
        // A standby that is lost is passed over when one is needed.
        if (this.#stages.some(({ isLost }) => isLost)) this.#lose(reason);
      },
      onLinkLost: () => this.#lose('a link between two stages has ended'),
    };
    const stage = await StageClient.start(start, handlers, this.plan.silentMsMax);
    this.#started.add(stage);
    if (this.#failure === null) return stage;
    stage.kill();
    throw new StageError('the pipeline has ended');
  }

  /** From the last stage to the first, so that no frame meets a stage without a next one. */
  async #link(): Promise<void> {
    let url: string | null = null;
    for (const stage of this.#stages.toReversed()) {
      await stage.call({ call: 'connect', url });
      ({ url } = stage);
    }
    this.#epoch += 1;
  }

  #receive(frame: ReceivedFrame): void {
    this.#runs.get(frame.request)?.receive(frame);
  }

  /** While the stages start, the call that waits for the lost one fails in its place. */
  #lose(reason: string): void {
    if (this.#epoch > 0 && !this.#isRepairing && this.#failure === null) void this.#repair(reason);
  }

  async #repair(reason: string): Promise<void> {
    this.#isRepairing = true;
    for (const run of this.#runs.values()) run.interrupt(new StageError(reason));
    try {
      for (let repair = 1; ; repair += 1) {
        try {
          await this.#replaceLost(reason);
          await this.#link();
          if (this.#stages.every(({ isLost }) => !isLost)) break;
        } catch (error) {
          if (!(error instanceof StageError) || repair === REPAIRS_MAX) throw error;
        }
      }
      this.#standBy();
    } catch (error) {
      const detail = error instanceof LayersError ? error.message : `a stage was lost: ${reason}`;
      this.#fail(new LayersError('stage_lost', detail));
    } finally {
      this.#isRepairing = false;
      this.#change();
    }
  }

  /** @throws LayersError `stage_lost` when no standby is left */
  async #replaceLost(reason: string): Promise<void> {
    for (const [at, range] of this.ranges.entries()) {
      if (this.#stages[at]?.isLost === false) continue;
      const standby = await this.#takeStandby();
      if (standby === null) {
        const detail = `stage ${at} was lost (${reason}) and no standby is left`;
        throw new LayersError('stage_lost', detail);
      }
      await standby.call({ call: 'load', modelFile: this.plan.modelFile, range });
      this.#stages[at] = standby;
    }
  }

  async #takeStandby(): Promise<StageClient | null> {
    for (const starting of this.#standbys) {
      this.#standbys.delete(starting);
      const stage = await starting.catch(() => null);
      if (stage?.isLost === false) return stage;
    }
    return null;
  }

  /** Starts what is missing, in the background: a loss meanwhile waits for it. */
  #standBy(): void {
    while (this.#standbys.size < this.plan.standbys && this.#failure === null) {
      const starting = this.#start();
      this.#standbys.add(starting);
      starting.catch(() => this.#standbys.delete(starting));
    }
  }
}
