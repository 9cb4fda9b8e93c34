import { within } from '#platform/kernel/within.js';
import { LayersError } from '../llama-layers.errors.js';
import { type LayerRange } from '../model/layer-range.js';
import { type LayerRun, type RunReport, type StageReport } from '../run/layer-run.js';
import { FrameError, type FrameKind } from './frame.js';
import { type OutgoingFrame, type ReceivedFrame } from './frame-link.js';
import { StageError } from './stage.error.js';
import { type ReleaseReport } from './stage.protocol.js';

/** How long the last report of the stages may take; what comes later is not measured. */
const REPORT_MS_MAX = 2_000;

/** A step that ends every stage which tries it shall not end all of them. */
const FAILOVERS_MAX = 4;

/** The pipeline as one of its runs sees it. */
export interface LinkedStages {
  readonly ranges: readonly LayerRange[];
  /** Of the processes of the stages, in order. */
  readonly pids: readonly number[];
  /** Why it has ended, or null. */
  readonly failure: LayersError | null;
  /** The current epoch, once the stages are linked. @throws LayersError `stage_lost` */
  linked(): Promise<number>;
  /** The epoch after this one. @throws LayersError `stage_lost` */
  after(epoch: number): Promise<number>;
  /** A number for the frames of a run; the run gets what the last stage sends of it. */
  enter(run: PipelineRun): number;
  leave(request: number): void;
  /** @throws StageError */
  first(): { send(frame: OutgoingFrame): Promise<void> };
}

/**
 * One request on a pipeline. It keeps its steps, and repeats exactly these when a stage was
 * replaced: the same steps give the same caches, and so the same bits, as if nothing had happened.
 */
export class PipelineRun implements LayerRun {
  readonly #steps: Int32Array[] = [];
  #request = 0;
  #epoch = 0;
  #sent = 0;
  #position = 0;
  #failovers = 0;
  readonly #awaited = new Map<FrameKind, PromiseWithResolvers<ReceivedFrame>>();
  #returns = { frames: 0, transportNs: 0n as bigint | null };

  constructor(private readonly pipeline: LinkedStages) {}

  async advance(tokens: Int32Array, wantsLogits: boolean): Promise<Float32Array | null> {
    this.#steps.push(tokens);
    for (;;) {
      const epoch = await this.pipeline.linked();
      try {
        if (epoch !== this.#epoch) await this.#begin(epoch);
        return await this.#pass(wantsLogits);
      } catch (error) {
        if (!(error instanceof StageError || error instanceof FrameError)) throw error;
        await this.pipeline.after(epoch);
      }
    }
  }

  async end(): Promise<RunReport> {
    const { ranges, pids } = this.pipeline;
    const times = await this.#release().catch((): ReleaseReport => []);
    const { frames, transportNs } = this.#returns;
    return {
      failovers: this.#failovers,
      returnLatencyMs:
        frames === 0 || transportNs === null ? null : Number(transportNs) / frames / 1e6,
      stages: ranges.map(({ first, last }, stage): StageReport => {
        const measured = times[stage] ?? null;
        const transportMs = measured?.transportMs ?? null;
        return {
          stage,
          first,
          last,
          pid: pids[stage] ?? 0,
          transportLatencyMs:
            transportMs === null || !measured?.frames ? null : transportMs / measured.frames,
          computeMs: measured?.computeMs ?? null,
        };
      }),
    };
  }

  /** Takes a frame of the last stage for this request. */
  receive(frame: ReceivedFrame): void {
    if (frame.kind === 'step') {
      const { transportNs } = this.#returns;
      this.#returns = {
        frames: this.#returns.frames + 1,
        transportNs:
          transportNs === null || frame.transportNs === null
            ? null
            : transportNs + frame.transportNs,
      };
    }
    this.#awaited.get(frame.kind)?.resolve(frame);
  }

  interrupt(error: StageError | LayersError): void {
    for (const { reject } of this.#awaited.values()) reject(error);
  }

  /** Under a new number: frames of the old one may still be on their way. */
  async #begin(epoch: number): Promise<void> {
    if (this.#request !== 0) {
      this.#failovers += 1;
      if (this.#failovers > FAILOVERS_MAX) {
        throw new LayersError('stage_lost', `stages were lost ${this.#failovers} times in one run`);
      }
      const old = this.#request;
      this.pipeline.leave(old);
      await this.pipeline.first().send(releaseOf(old));
    }
    this.#request = this.pipeline.enter(this);
    this.#epoch = epoch;
    this.#sent = 0;
    this.#position = 0;
    this.#returns = { frames: 0, transportNs: 0n };
  }

  /** Sends what was not sent yet, without waiting for results in between. */
  async #pass(wantsLogits: boolean): Promise<Float32Array | null> {
    const result = this.#await('step');
    for (; this.#sent < this.#steps.length; this.#sent += 1) {
      const tokens = this.#steps[this.#sent] ?? new Int32Array();
      await this.pipeline.first().send({
        kind: 'step',
        request: this.#request,
        position: this.#position,
        count: tokens.length,
        payload: tokens,
        wantsLogits: wantsLogits && this.#sent === this.#steps.length - 1,
      });
      this.#position += tokens.length;
    }
    if (!wantsLogits) return null;
    const { payload } = await result;
    if (payload instanceof Float32Array) return payload;
    throw new LayersError('stage_lost', 'the last stage has sent no logits');
  }

  async #release(): Promise<ReleaseReport> {
    if (this.#request === 0 || this.pipeline.failure !== null) return [];
    const reported = this.#await('release');
    try {
      await this.pipeline.first().send(releaseOf(this.#request));
      const { payload } = await within(reported, REPORT_MS_MAX);
      return JSON.parse(String(payload)) as ReleaseReport;
    } finally {
      this.pipeline.leave(this.#request);
    }
  }

  #await(kind: FrameKind): Promise<ReceivedFrame> {
    const awaited = Promise.withResolvers<ReceivedFrame>();
    // It may be interrupted before someone waits.
    awaited.promise.catch(() => undefined);
    this.#awaited.set(kind, awaited);
    return awaited.promise;
  }
}

const releaseOf = (request: number): OutgoingFrame => ({
  kind: 'release',
  request,
  position: 0,
  count: 0,
  wantsLogits: false,
  payload: '[]',
});
