/** The messages between the engine and its thread. */
import { type TernaryKernel } from './bitnet/ternary-kernels.js';
import { type Coding } from './codings.js';

export interface TextLossReport {
  /** Predicted tokens. */
  readonly tokens: number;
  /** The sum of -ln p over them. */
  readonly nats: number;
}

/** How far a model diverges when one tensor alone has the coding. */
export interface Sensitivity {
  readonly tensor: string;
  readonly coding: Coding;
  /** The sum over the tokens of the divergence (KL) of the next-token distributions. */
  readonly nats: number;
}

/** A fine-tuning in which products see the ternary weights, before these are written. */
export interface TernaryTraining {
  /** Documents, one a line, as the engine `training` reads them. */
  readonly text: string;
  readonly steps: number;
  readonly learningRate: number;
  readonly seed: number;
}

/** The measurements of a task so far: another attempt continues behind them. */
export interface Measurements {
  readonly baseline: TextLossReport | null;
  readonly sensitivities: readonly Sensitivity[];
}

export interface QuantizationOrder {
  /** Absolute path of the GGUF file whose weights are quantized. */
  readonly modelFile: string;
  /** Absolute path of the model that the result is compared with. */
  readonly originalFile: string;
  /** The name in the written file. */
  readonly name: string;
  /** Of every matrix of a layer; with a budget, the smallest one. */
  readonly coding: Exclude<Coding, 'F32'>;
  /** The most that all tensors may have, which mixes codings; null for one coding. */
  readonly budgetBytes: number | null;
  readonly kernel: TernaryKernel;
  /** Held-out text by which every loss is measured. */
  readonly text: string;
  readonly known: Measurements;
}

export interface TensorReport {
  readonly tensor: string;
  readonly coding: Coding;
  /** llama.cpp's name of the format in the file. */
  readonly format: string;
  readonly originalBytes: number;
  readonly bytes: number;
  /** Mean divergence (KL) with this tensor alone in its coding; null where it keeps its floats. */
  readonly divergenceNatsPerToken: number | null;
}

export interface QuantizationReport {
  readonly parameters: number;
  readonly originalBytes: number;
  readonly quantizedBytes: number;
  readonly baseline: TextLossReport;
  readonly quantized: TextLossReport;
  /** In the order of the file. */
  readonly tensors: readonly TensorReport[];
  /** Modelled: `measure/modelled-energy.ts`. */
  readonly energySavingPct: number;
}

export type FromThread =
  | {
      readonly type: 'measured';
      readonly done: number;
      readonly total: number;
      readonly measurements: Measurements;
      /** Weights times tokens of all measurements so far. */
      readonly products: number;
    }
  | { readonly type: 'written'; readonly report: QuantizationReport; readonly file: Uint8Array }
  | { readonly type: 'failed'; readonly code: string; readonly message: string };
