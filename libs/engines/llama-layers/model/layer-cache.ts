import type * as tf from '@tensorflow/tfjs-core';

export interface KeysAndValues {
  /** `[keyHeads, positions, headWidth]`, already rotated. */
  readonly keys: tf.Tensor;
  readonly values: tf.Tensor;
}

/** The cached keys and values of the layers of one range for one request. */
export class LayerCache {
  readonly #layers: (KeysAndValues | undefined)[] = [];
  #positions = 0;
  #isDisposed = false;

  /** Positions that every layer has seen. */
  get positions(): number {
    return this.#positions;
  }

  of(layer: number): KeysAndValues | undefined {
    return this.#layers[layer];
  }

  replace(layer: number, next: KeysAndValues): void {
    const old = this.#layers[layer];
    this.#layers[layer] = next;
    old?.keys.dispose();
    old?.values.dispose();
  }

  advance(count: number): void {
    this.#positions += count;
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    for (const layer of this.#layers) {
      layer?.keys.dispose();
      layer?.values.dispose();
    }
  }
}
