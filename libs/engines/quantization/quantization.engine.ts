/** Quantizes a model in a thread of its own, and measures the result in llama.cpp. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { EngineCrashedError } from '../language-model/language-model.engine.errors.js';
import { type ServingSpeed, servingSpeeds } from './measure/serving-speed.js';
import {
  type FromThread,
  type Measurements,
  type QuantizationOrder,
  type QuantizationReport,
} from './quantization.protocol.js';

export type { Measurements, QuantizationOrder, QuantizationReport };

/** A measurement was taken; another attempt continues behind it. */
export interface QuantizationStep {
  readonly done: number;
  readonly total: number;
  readonly measurements: Measurements;
  /** Weights times tokens of this measurement. */
  readonly products: number;
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

type Letter = FromThread | Error;

/**
 * Yields after each measurement and returns the quantized model. The thread ends with the generator
 * or the signal.
 * @throws QuantizationFailedError with a code of this engine or of the engines that read files;
 *   EngineCrashedError; the reason of the signal
 */
export async function* quantizeModel(
  order: QuantizationOrder,
  signal: AbortSignal,
): AsyncGenerator<QuantizationStep, QuantizedModel, void> {
  signal.throwIfAborted();
  const worker = new Worker(new URL('./quantization.worker.js', import.meta.url), {
    workerData: order,
  });
  const letters = lettersOf(worker, signal);
  try {
    for await (const letter of letters) {
      if (letter instanceof Error) throw letter;
      if (letter.type === 'failed') throw new QuantizationFailedError(letter.code, letter.message);
      if (letter.type === 'written') {
        const { report, file } = letter;
        return { report, file, speed: await speedsOf(order.modelFile, file, signal) };
      }
      const { done, total, measurements, products } = letter;
      yield { done, total, measurements, products };
    }
    throw new EngineCrashedError('its thread ended');
  } finally {
    await worker.terminate();
  }
}

/** The messages of the thread, then its error or the reason of the signal. */
async function* lettersOf(worker: Worker, signal: AbortSignal): AsyncGenerator<Letter, void, void> {
  const waiting: Letter[] = [];
  let wake = (): void => undefined;
  const put = (letter: Letter): void => {
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

const speedsOf = async (
  originalFile: string,
  file: Uint8Array,
  signal: AbortSignal,
): Promise<ServingSpeed> => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'quipu-quantized-'));
  try {
    const quantizedFile = path.join(folder, 'model.gguf');
    await writeFile(quantizedFile, file);
    return await servingSpeeds(originalFile, quantizedFile, signal);
  } finally {
    await rm(folder, { recursive: true });
  }
};
