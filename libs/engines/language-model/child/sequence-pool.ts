import type { LlamaContext, LlamaContextSequence, LlamaModel } from 'node-llama-cpp';
import type {
  ChildSettings,
  TaskAdapter,
} from '#engines/language-model/language-model.protocol.js';
import { type ModelAdapters, placementOf } from '#engines/language-model/child/model-adapters.js';
import {
  SMALL_MODEL_BYTES,
  SMALL_MODEL_CONTEXT,
} from '#engines/language-model/child/small-models.js';

/** A larger batch gains little on a processor, and its context is allocated as a whole. */
const BATCH_SEQUENCES_MAX = 8;

/** Sequences of one context, all with the same adapter. */
interface Batch {
  readonly context: LlamaContext;
  readonly free: LlamaContextSequence[];
  readonly sequences: number;
  placement: string;
}

export interface Seats {
  /** One or more of one context, which have read nothing. */
  readonly sequences: readonly LlamaContextSequence[];
  /** The time to put the adapter on the weights; null where it was in place. */
  readonly swapMs: number | null;
}

interface Waiter {
  readonly adapter: TaskAdapter | undefined;
  readonly wanted: number;
  readonly take: (seats: Seats) => void;
  readonly fail: (error: unknown) => void;
}

const NO_SEATS: Seats = { sequences: [], swapMs: null };

/**
 * The contexts of one model. Sequences of one context are evaluated together: llama.cpp reads a
 * token of each in one batch. Requests are served strictly in order, so that none overtakes one
 * whose adapter is on no context, which waits until a context is idle.
 */
export class SequencePool {
  private readonly model: LlamaModel;
  private readonly adapters: ModelAdapters;
  private readonly settings: ChildSettings;
  /** In order of last use, the oldest first. */
  private readonly batches: Batch[] = [];
  private readonly waiting: Waiter[] = [];
  private size: Promise<{ readonly contexts: number; readonly sequences: number }> | undefined;
  private isServing = false;

  constructor(model: LlamaModel, adapters: ModelAdapters, settings: ChildSettings) {
    this.model = model;
    this.adapters = adapters;
    this.settings = settings;
  }

  /**
   * Waits for sequences with this adapter: as many as are wanted and free in one context, at least
   * one; none when the signal aborts first. Each is given back by `release` or `discard`.
   * @throws ReportedError adapter_file_invalid, or the error of a context without memory
   */
  acquire(adapter: TaskAdapter | undefined, wanted: number, signal: AbortSignal): Promise<Seats> {
    if (signal.aborted) return Promise.resolve(NO_SEATS);
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        const at = this.waiting.indexOf(waiter);
        if (at === -1) return;
        this.waiting.splice(at, 1);
        resolve(NO_SEATS);
        void this.serve();
      };
      const waiter: Waiter = {
        adapter,
        wanted,
        take: (seats) => {
          signal.removeEventListener('abort', leave);
          resolve(seats);
        },
        fail: (error) => {
          signal.removeEventListener('abort', leave);
          reject(error instanceof Error ? error : new Error(String(error)));
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      this.waiting.push(waiter);
      void this.serve();
    });
  }

  /** The sequence forgets what it has read and serves the next answer. */
  async release(sequence: LlamaContextSequence): Promise<void> {
    const batch = this.batches.find(({ context }) => context === sequence.context);
    // The answer beside it has failed.
    if (batch === undefined) return;
    await sequence.clearHistory();
    batch.free.push(sequence);
    void this.serve();
  }

  /** After a failure the state of a context is unknown: its other answers fail with it. */
  async discard(sequence: LlamaContextSequence): Promise<void> {
    const at = this.batches.findIndex(({ context }) => context === sequence.context);
    if (at === -1) return;
    const [batch] = this.batches.splice(at, 1);
    if (batch !== undefined) {
      this.adapters.leave(batch.context);
      await batch.context.dispose();
    }
    void this.serve();
  }

  private async serve(): Promise<void> {
    if (this.isServing) return;
    this.isServing = true;
    try {
      for (let [next] = this.waiting; next !== undefined; [next] = this.waiting) {
        const isServed = await this.serveOne(next);
        if (!isServed) return;
      }
    } finally {
      this.isServing = false;
    }
  }

  /** False when it has to wait. */
  private async serveOne(waiter: Waiter): Promise<boolean> {
    try {
      const batch = await this.batchFor(placementOf(waiter.adapter));
      if (batch === undefined) return false;
      const swapMs = await this.place(batch, waiter.adapter);
      // It may have left meanwhile.
      if (this.waiting[0] !== waiter) return true;
      this.waiting.shift();
      waiter.take({ sequences: batch.free.splice(0, waiter.wanted), swapMs });
    } catch (error) {
      if (this.waiting[0] === waiter) this.waiting.shift();
      waiter.fail(error);
    }
    return true;
  }

  private async batchFor(placement: string): Promise<Batch | undefined> {
    const inPlace = this.batches.find((one) => one.placement === placement && one.free.length > 0);
    const idle = this.batches.find(({ free, sequences }) => free.length === sequences);
    const batch = inPlace ?? idle;
    if (batch === undefined) return this.opened();
    this.batches.splice(this.batches.indexOf(batch), 1);
    this.batches.push(batch);
    return batch;
  }

  private async place(batch: Batch, adapter: TaskAdapter | undefined): Promise<number | null> {
    const placement = placementOf(adapter);
    if (batch.placement === placement) return null;
    const swapMs = await this.adapters.place(batch.context, adapter);
    batch.placement = placement;
    return swapMs;
  }

  /** A further context, while the limits allow one. */
  private async opened(): Promise<Batch | undefined> {
    this.size ??= this.sizeOf();
    const { contexts, sequences } = await this.size;
    if (this.batches.length >= contexts) return undefined;
    const context = await this.model.createContext({ ...this.options(), sequences });
    const free = Array.from({ length: sequences }, () => context.getSequence());
    const batch = { context, free, sequences, placement: '' };
    this.batches.push(batch);
    return batch;
  }

  private options() {
    const max = Math.min(this.settings.contextTokensMax, this.model.trainContextSize);
    return {
      contextSize: { max },
      ...(this.model.size < SMALL_MODEL_BYTES ? SMALL_MODEL_CONTEXT : {}),
    };
  }

  /** How many contexts of how many sequences the memory is to hold. */
  private async sizeOf() {
    const { sequencesMax, contextBytesMax, batchedModelBytesMin } = this.settings;
    const needed = await this.model.fileInsights.estimateContextResourceRequirementsV2({
      contextSize: this.options().contextSize.max,
      sequences: 1,
      modelGpuLayers: this.model.gpuLayers,
    });
    const bytes = needed.cpuRam + needed.gpuVram;
    const fitting = Math.max(1, Math.min(sequencesMax, Math.floor(contextBytesMax / bytes)));
    const isBatched = this.model.size >= batchedModelBytesMin;
    const sequences = isBatched ? Math.min(BATCH_SEQUENCES_MAX, fitting) : 1;
    return { sequences, contexts: Math.floor(fitting / sequences) };
  }
}
