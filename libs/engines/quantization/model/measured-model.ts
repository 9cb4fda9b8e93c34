/** A model whose losses are measured with its tensors in any coding. */
import { closeSync, openSync, readSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { type GgufHeader, type GgufTensorInfo } from '../../language-model/gguf.header.js';
import { type FileSource } from '../../language-model/gguf.writer.js';
import { headerOf } from '../../language-model/model-files.js';
import { LayerStack, type Product } from '../../llama-layers/model/layer-stack.js';
import { type LlamaHeader, llamaHeaderOf } from '../../llama-layers/model/llama.header.js';
import { type RangeWeights, readWeights } from '../../llama-layers/model/weights.js';
import { GgufTokenizer } from '../../llama-layers/text/tokenizer.js';
import { type TernaryKernel, TernaryKernels } from '../bitnet/ternary-kernels.js';
import { type Coding, storedBytes, storedFormat } from '../codings.js';
import {
  divergenceOf,
  lossOver,
  type TextLoss,
  WINDOW_TOKENS,
  windowsOf,
} from '../measure/text-loss.js';
import { QuantizationError } from '../quantization.errors.js';
import { parametersIn } from '../../language-model/parameters.js';
import { codeTensor, type CodedTensor } from './coded-tensor.js';
import { ternaryProduct } from './ternary-product.js';

/** Larger ones would take a worker for hours. */
export const PARAMETERS_MAX = 100_000_000;

/** Windows of the text by which the whole model is measured, and by which a single tensor is. */
export const WINDOWS_MAX = 24;
export const SENSITIVITY_WINDOWS = 4;

export class MeasuredModel {
  readonly #kernels = new TernaryKernels();
  /** Of the text. */
  readonly windows: readonly Int32Array[];
  #logitsBefore: readonly Float32Array[] | undefined;

  private constructor(
    readonly source: FileSource,
    private readonly modelFile: string,
    private readonly header: LlamaHeader,
    private readonly weights: RangeWeights,
    private readonly kernel: TernaryKernel,
    text: string,
  ) {
    const ids = new GgufTokenizer(header).encode([{ text, isTemplate: true }]);
    this.windows = windowsOf(ids, WINDOWS_MAX);
    if (this.windows.length >= SENSITIVITY_WINDOWS) return;
    const needed = SENSITIVITY_WINDOWS * WINDOW_TOKENS;
    const detail = `the text has ${ids.length} tokens, and ${needed} are needed`;
    throw new QuantizationError('text_too_short', detail);
  }

  /**
   * @throws ModelFileMissingError, ModelFileInvalidError; LayersError `model_unsupported`;
   *   QuantizationError `model_too_large`, `text_too_short`
   */
  static async open(
    modelFile: string,
    text: string,
    kernel: TernaryKernel,
  ): Promise<MeasuredModel> {
    const gguf = await headerOf(modelFile);
    const header = llamaHeaderOf(gguf);
    demandSize(parametersIn(gguf.tensors));
    const range = { first: 0, last: header.shape.layers - 1 };
    const weights = await readWeights(modelFile, header, range);
    const start = await startOf(modelFile, gguf);
    return new MeasuredModel({ header: gguf, start }, modelFile, header, weights, kernel, text);
  }

  get parameters(): number {
    return parametersIn(this.source.header.tensors);
  }

  code(name: string, coding: Coding): CodedTensor {
    const [weights, info] = [this.weights.get(name), this.header.tensors.get(name)];
    if (weights === undefined || info === undefined) {
      throw new RangeError(`the model has no ${name}`);
    }
    const [rowLength = 0] = info.dimensions;
    const stored = () => this.#stored(info);
    return codeTensor({ rowLength, format: storedFormat(info), stored, weights }, coding);
  }

  #stored(info: GgufTensorInfo): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(storedBytes(info));
    const file = openSync(this.modelFile, 'r');
    try {
      readSync(file, bytes, 0, bytes.length, this.header.dataStart + info.offset);
    } finally {
      closeSync(file);
    }
    return bytes;
  }

  /** Tokens that a measurement of the whole text, or of a single tensor, reads. */
  get tokens(): { readonly text: number; readonly sensitivity: number } {
    return {
      text: this.windows.length * WINDOW_TOKENS,
      sensitivity: SENSITIVITY_WINDOWS * WINDOW_TOKENS,
    };
  }

  /** Of the whole text, with some tensors in a coding and the others as they are. */
  loss(coded: ReadonlyMap<string, CodedTensor>): Promise<TextLoss> {
    return this.#with(coded, (stack) =>
      lossOver(this.windows, (window) => stack.everyLogit(window)),
    );
  }

  /** Of the beginning of the text, in nats, against the model with all tensors as they are. */
  async divergence(name: string, coding: Coding): Promise<number> {
    const windows = this.windows.slice(0, SENSITIVITY_WINDOWS);
    const logits = (stack: LayerStack): Float32Array[] =>
      windows.map((window) => stack.everyLogit(window));
    this.#logitsBefore ??= await this.#with(new Map(), logits);
    const before = this.#logitsBefore;
    const after = await this.#with(new Map([[name, this.code(name, coding)]]), logits);
    const { vocabulary } = this.header.shape;
    return before.reduce(
      (sum, p, index) => sum + divergenceOf(p, after[index] ?? p, vocabulary),
      0,
    );
  }

  async #with<Result>(
    coded: ReadonlyMap<string, CodedTensor>,
    measure: (stack: LayerStack) => Result,
  ): Promise<Result> {
    const weights = new Map(this.weights);
    const products = new Map<string, Product>();
    for (const [name, { restored, ternary }] of coded) {
      weights.set(name, restored);
      const [rowLength = 0] = this.header.tensors.get(name)?.dimensions ?? [];
      if (ternary === null) continue;
      products.set(name, ternaryProduct(this.#kernels, this.kernel, ternary, rowLength));
    }
    const stack = await LayerStack.of(this.header, weights, products);
    try {
      return measure(stack);
    } finally {
      stack.dispose();
    }
  }
}

/** @throws QuantizationError `model_too_large` */
export const demandSize = (parameters: number): number => {
  if (parameters <= PARAMETERS_MAX) return parameters;
  const detail = `the model has ${parameters} parameters; at most ${PARAMETERS_MAX} are quantized`;
  throw new QuantizationError('model_too_large', detail);
};

const startOf = async (modelFile: string, { dataStart }: GgufHeader): Promise<Uint8Array> => {
  await using file = await open(modelFile, 'r');
  const { buffer, bytesRead } = await file.read(new Uint8Array(dataStart), 0, dataStart, 0);
  return buffer.subarray(0, bytesRead);
};
