/** The record of `record.py`, as specs read it. */
import { readFileSync } from 'node:fs';

export interface BitNetVectors {
  readonly tokens: number;
  readonly width: number;
  readonly rows: number;
  readonly x: readonly number[];
  readonly w: readonly number[];
  readonly upstream: readonly number[];
  readonly trits: readonly number[];
  readonly scale: number;
  readonly values: readonly number[];
  readonly steps: readonly number[];
  readonly y: readonly number[];
  /** Gradients of the straight-through estimator. */
  readonly dx: readonly number[];
  readonly dw: readonly number[];
}

export interface QuantizationVectors {
  /** 32-bit floats and blocks in base64. */
  readonly encoders: {
    readonly weights: string;
    readonly blocks: Readonly<Record<string, string>>;
  };
  /** Of tensors of nano, by format: the SHA-256 of the blocks. */
  readonly nano: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly bitnet: BitNetVectors;
}

export const quantizationVectors = (): QuantizationVectors =>
  JSON.parse(
    readFileSync(new URL('./vectors.json', import.meta.url), 'utf8'),
  ) as QuantizationVectors;
