import { Inject, Injectable } from '@nestjs/common';
import { type Delivery } from '#platform/chats/text-chat.strategy.js';
import { type HoldPace, type LedgerEntry } from '#platform/ledger/hold.js';
import { cutOf, type CutReason, RequestCutError } from '#platform/runtime/commands/request-cut.js';
import { TEXT_HASHER, type TextHasher } from '#platform/secrets/keyed-hasher.js';
import { type AdmittedPipeline, PipelineAdmission } from './pipeline-admission.js';
import { PipelineMetrics } from './pipeline.metrics.js';
import { type PipelineOrder } from './pipeline-order.js';
import { PipelineRunner } from './pipeline-runner.js';
import { type TokenCounts } from './pipeline.product.js';
import { type PipelineEnd, type PipelinePiece } from './pipeline.task.js';
import { SHARDING_SETTINGS, type ShardingSettings } from './sharding.settings.js';

/** How an answer ended, once its hold has. */
export interface PipelineReceipt {
  readonly used: TokenCounts;
  /** Null where the answer was cut. */
  readonly end: PipelineEnd | null;
  /** Null when nothing was charged. */
  readonly entry: LedgerEntry | null;
  /** Why the answer ended before its end, or null. */
  readonly cut: RequestCutError | null;
}

/** An answer whose first text has come. */
export interface StartedPipeline {
  readonly pace?: HoldPace;
  /** Read it to the end or dispose of it: either ends the hold. @throws PipelineError, uncharged */
  readonly texts: AsyncGenerator<string, PipelineReceipt, void>;
}

/** Generates answers, and ends the hold of each exactly once. */
@Injectable()
export class PipelineRuns {
  constructor(
    private readonly admission: PipelineAdmission,
    private readonly runner: PipelineRunner,
    private readonly metrics: PipelineMetrics,
    @Inject(TEXT_HASHER) private readonly hash: TextHasher,
    @Inject(SHARDING_SETTINGS) private readonly settings: ShardingSettings,
  ) {}

  /**
   * @throws DomainError, PipelineError, RequestCutError; none of them after a charge
   */
  async start(
    order: PipelineOrder,
    signal: AbortSignal,
    delivery: Delivery,
  ): Promise<StartedPipeline> {
    const admitted = await this.admission.admit({ ...order, signal });
    const reading = limited(signal, this.settings.requestMsMax);
    const { modelFile, bound, pace } = admitted;
    const pieces = this.runner.run(order, modelFile, bound.completionTokens, reading.signal);
    const texts = this.#meter({ order, admitted, pieces, reading, delivery });
    // Also started, so that its end ends the hold even if no text is read.
    await texts.next();
    return { texts, ...(pace && { pace }) };
  }

  /** The first text is empty, and comes with the first piece. */
  async *#meter(metered: Metered): AsyncGenerator<string, PipelineReceipt, void> {
    const { admitted, pieces, reading } = metered;
    const run = new MeteredRun(metered, this.hash);
    try {
      let next = await pieces.next();
      yield '';
      for (; !next.done; next = await pieces.next()) {
        run.see(next.value);
        yield next.value[0];
      }
      const cut = next.value === null ? (cutOf(reading.signal) ?? shutDown()) : null;
      const receipt = cut ? await run.cut(cut) : await run.finish(next.value);
      if (receipt.end) this.metrics.answered(receipt.end);
      return receipt;
    } catch (error) {
      if (!run.isSettled) await run.release('upstream_failed', admitted);
      throw error;
    } finally {
      if (!run.isSettled) {
        reading.abort(new RequestCutError('client_gone'));
        await pieces.return(null);
        await run.cut(new RequestCutError('client_gone'));
      }
      reading.end();
    }
  }
}

interface Metered {
  readonly delivery: Delivery;
  readonly order: PipelineOrder;
  readonly admitted: AdmittedPipeline;
  readonly pieces: AsyncGenerator<PipelinePiece, PipelineEnd | null, void>;
  readonly reading: Reading;
}

class MeteredRun {
  isSettled = false;
  #reply = '';
  #used: TokenCounts = { promptTokens: 0, completionTokens: 0 };

  constructor(
    private readonly metered: Metered,
    private readonly hash: TextHasher,
  ) {}

  see([text, completionTokens, promptTokens]: PipelinePiece): void {
    this.#reply += text;
    this.#used = { promptTokens, completionTokens };
  }

  finish(end: PipelineEnd | null): Promise<PipelineReceipt> {
    if (end) this.#used = end;
    return this.#charge(end, null);
  }

  /**
   * A caller that leaves pays for the computed tokens, one whose time is up for the received ones.
   */
  async cut(cut: RequestCutError): Promise<PipelineReceipt> {
    const { delivery, admitted } = this.metered;
    const isCharged = delivery === 'in-pieces' || cut.reason === 'client_gone';
    if (isCharged && this.#used.completionTokens > 0) return this.#charge(null, cut);
    await this.release(cut.reason, admitted);
    return { used: this.#used, end: null, entry: null, cut };
  }

  async release(reason: CutReason | 'upstream_failed', admitted: AdmittedPipeline): Promise<void> {
    this.isSettled = true;
    await admitted.release(reason);
  }

  async #charge(end: PipelineEnd | null, cut: RequestCutError | null): Promise<PipelineReceipt> {
    this.isSettled = true;
    const { admitted, order } = this.metered;
    const used = this.#used;
    const entry = await admitted.capture({
      used,
      outcome: cut?.reason ?? 'completed',
      evidence: {
        modelSha256: end?.modelSha256 ?? null,
        layers: (end?.stages ?? []).map(({ first, last }) => `${first}-${last}`),
        failovers: end?.failovers ?? null,
        promptHash: this.hash(JSON.stringify(order.messages)),
        replyHash: this.hash(this.#reply),
      },
    });
    return { used, end, entry, cut };
  }
}

interface Reading {
  readonly signal: AbortSignal;
  abort(reason: RequestCutError): void;
  /** Drops the timer. */
  end(): void;
}

/** Aborts when the signal does, for the same reason, or when the time is up. */
const limited = (signal: AbortSignal, msMax: number): Reading => {
  const controller = new AbortController();
  const follow = (): void => controller.abort(signal.reason);
  if (signal.aborted) follow();
  else signal.addEventListener('abort', follow, { once: true });
  const timer = setTimeout(() => controller.abort(new RequestCutError('timed_out')), msMax);
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    end: () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', follow);
    },
  };
};

const shutDown = (): RequestCutError => new RequestCutError('shut_down');
