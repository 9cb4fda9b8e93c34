/** Quantizes a model in threads of its own, and measures the result in llama.cpp. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { EngineCrashedError } from '../language-model/language-model.engine.errors.js';
import { runTraining } from '../training/training.engine.js';
import { type TrainingPiece } from '../training/training.protocol.js';
import { type ServingSpeed, servingSpeeds } from './measure/serving-speed.js';
import { trainingSteps } from './measure/estimate.js';
import {
  type FromThread,
  type Measurements,
  type QuantizationOrder,
  type QuantizationReport,
  type TernaryTraining,
} from './quantization.protocol.js';

export interface QuantizationRequest extends Omit<QuantizationOrder, 'originalFile'> {
  /** Null quantizes the weights as they are. */
  readonly training: TernaryTraining | null;
  /** The last checkpoint of this training; null from the beginning. */
  readonly checkpoint: Uint8Array | null;
}

export interface QuantizationStep {
  readonly done: number;
  readonly total: number;
  readonly measurements: Measurements;
  /** Weights times tokens of all steps so far, also in other attempts; three times for learning. */
  readonly products: number;
  /** Of the training, where it has one at this step. */
  readonly checkpoint: Uint8Array | null;
}

export interface QuantizedModel {
  readonly report: QuantizationReport;
  /** A GGUF file. */
  readonly file: Uint8Array;
  readonly speed: ServingSpeed;
}

/** An error of the thread, with its code. */
export class QuantizationFailedError extends Error {
  override readonly name = 'QuantizationFailedError';

  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Yields after each step of the training and each measurement, and returns the quantized model.
 * The threads end with the generator or the signal.
 * @throws QuantizationFailedError, TrainingFailedError with a code of these engines or of the
 *   engines that read files; EngineCrashedError; the reason of the signal
 */
export async function* quantizeModel(
  request: QuantizationRequest,
  signal: AbortSignal,
): AsyncGenerator<QuantizationStep, QuantizedModel, void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'quipu-quantized-'));
  try {
    const modelFile = yield* trainedFile(request, folder, signal);
    const { training, checkpoint: _, ...order } = request;
    const steps = training?.steps ?? 0;
    const learned = training === null ? 0 : steps * (await productsOfStep(request, training));
    await using quantizing = inThread(
      { ...order, modelFile, originalFile: order.modelFile },
      signal,
    );
    let next = await quantizing.next();
    for (; next.done !== true; next = await quantizing.next()) {
      const { done, total, products, measurements } = next.value;
      yield {
        done: steps + done,
        total: steps + total,
        products: learned + products,
        measurements,
        checkpoint: null,
      };
    }
    const quantizedFile = path.join(folder, 'quantized.gguf');
    await writeFile(quantizedFile, next.value.file);
    const speed = await servingSpeeds(order.modelFile, quantizedFile, signal);
    return { ...next.value, speed };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The file of the weights to quantize: the original, or one that was trained to be ternary. */
async function* trainedFile(
  { modelFile, training, checkpoint, name, known }: QuantizationRequest,
  folder: string,
  signal: AbortSignal,
): AsyncGenerator<QuantizationStep, string, void> {
  if (training === null) return modelFile;
  const [text, state, trained] = ['text', 'checkpoint', 'trained.gguf'].map((file) =>
    path.join(folder, file),
  ) as [string, string, string];
  await writeFile(text, training.text);
  if (checkpoint !== null) await writeFile(state, checkpoint);
  const { recipe, productsOf } = await trainingSteps(modelFile, training);
  const task = {
    student: modelFile,
    teacher: null,
    text,
    checkpoint: checkpoint === null ? null : state,
    name,
    method: { kind: 'next_token' },
    recipe,
  } as const;
  await using pieces = runTraining(task, signal);
  let next = await pieces.next();
  for (; next.done !== true; next = await pieces.next()) {
    yield stepOf(next.value, known, productsOf);
  }
  await writeFile(trained, next.value.weights);
  return trained;
}

const productsOfStep = async (
  { modelFile }: QuantizationRequest,
  training: TernaryTraining,
): Promise<number> => (await trainingSteps(modelFile, training)).productsOf;

const stepOf = (
  piece: TrainingPiece,
  measurements: Measurements,
  productsOf: number,
): QuantizationStep => {
  const isProgress = piece.kind === 'progress';
  const { done, total } = isProgress ? piece : piece.progress;
  const checkpoint = isProgress ? null : piece.content;
  return { done, total, measurements, products: done * productsOf, checkpoint };
};

type Measured = Omit<QuantizationStep, 'checkpoint'>;
type Written = Omit<QuantizedModel, 'speed'>;

async function* inThread(
  order: QuantizationOrder,
  signal: AbortSignal,
): AsyncGenerator<Measured, Written, void> {
  signal.throwIfAborted();
  const worker = new Worker(new URL('./quantization.worker.js', import.meta.url), {
    workerData: order,
  });
  try {
    for await (const letter of lettersOf(worker, signal)) {
      if (letter instanceof Error) throw letter;
      if (letter.type === 'failed') throw new QuantizationFailedError(letter.code, letter.message);
      const { type, ...content } = letter;
      if (type === 'measured') yield content as Measured;
      else return content as Written;
    }
    throw new EngineCrashedError('its thread ended');
  } finally {
    await worker.terminate();
  }
}

/** The messages of the thread, its error, or the reason of the signal. */
async function* lettersOf(
  worker: Worker,
  signal: AbortSignal,
): AsyncGenerator<FromThread | Error, void, void> {
  const waiting: (FromThread | Error)[] = [];
  let wake = (): void => undefined;
  const put = (letter: FromThread | Error): void => {
    waiting.push(letter);
    wake();
  };
  const abort = (): void => put(signal.reason as Error);
  worker.on('message', put);
  worker.on('error', (error: Error) => put(new EngineCrashedError(error.message)));
  worker.once('exit', () => put(new EngineCrashedError('its thread ended')));
  signal.addEventListener('abort', abort, { once: true });
  try {
    for (;;) {
      const letter = waiting.shift();
      if (letter !== undefined) yield letter;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
