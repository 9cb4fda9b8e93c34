import { setImmediate } from 'node:timers/promises';
import { type LayerStack } from '../model/layer-stack.js';
import { type LayerRun, type RunReport } from './layer-run.js';

/** All layers in this thread. */
export class LocalRun implements LayerRun {
  readonly #cache;

  constructor(private readonly stack: LayerStack) {
    this.#cache = stack.open();
  }

  async advance(tokens: Int32Array, wantsLogits: boolean): Promise<Float32Array | null> {
    // Between steps the thread reads its messages, a cancellation among them.
    await setImmediate();
    const logits = this.stack.forward(this.#cache, tokens, wantsLogits);
    return wantsLogits ? logits : null;
  }

  end(): Promise<RunReport> {
    this.#cache.dispose();
    return Promise.resolve({ stages: [], failovers: 0, returnLatencyMs: null });
  }
}
