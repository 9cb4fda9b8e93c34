import { readFile } from 'node:fs/promises';
import {
  type QuantizationRequest,
  type QuantizationStep,
} from '#engines/quantization/quantization.engine.js';
import { type QuantizationEstimate } from '#engines/quantization/measure/estimate.js';
import {
  type QuantizationOrder,
  type TernaryTraining,
} from '#engines/quantization/quantization.protocol.js';
import { defineEngine, type EngineHost } from '#platform/tasks/engine.js';
import { partsOf, pathOf } from '#platform/tasks/task-file.js';
import { QuantizationEnd, QuantizationPiece, QuantizationTask } from './quantization.task.js';

/** Quantizations of one process at once: each keeps a processor busy, one that trains two. */
export const QUANTIZATIONS_PER_HOST_MAX = 1;

/** The engine's own codes that no other attempt changes. */
export const FINAL_FAILURES = [
  'budget_too_small',
  'checkpoint_unusable',
  'loss_not_finite',
  'model_file_invalid',
  'model_too_large',
  'model_unsupported',
  'rows_unsupported',
  'text_too_short',
  'text_unusable',
] as const;

const final = Object.fromEntries(FINAL_FAILURES.map((code) => [code, 'final' as const]));

/** Quantizes models in threads. A task that ends early is continued behind its last piece. */
export const quantizationEngine = defineEngine<
  QuantizationTask,
  QuantizationPiece,
  QuantizationEnd
>({
  name: 'quantization',
  input: QuantizationTask,
  piece: QuantizationPiece,
  end: QuantizationEnd,
  tasksMax: { worker: QUANTIZATIONS_PER_HOST_MAX, inProcess: QUANTIZATIONS_PER_HOST_MAX },
  failures: { ...final, crashed: 'elsewhere', model_file_missing: 'elsewhere' },
  canRunHere: async () => {
    const { missingPackage } = await import('#engines/language-model/native-package.js');
    return missingPackage();
  },
  open: async ({ borrow }) => {
    const { quantizeModel } = await import('#engines/quantization/quantization.engine.js');
    return {
      async *run(task, signal) {
        await using steps = quantizeModel(await requestOf(task, borrow), signal);
        let next = await steps.next();
        for (; next.done !== true; next = await steps.next()) {
          yield pieceOf(next.value, task);
          for (const checkpoint of partsOf(next.value.checkpoint ?? NOTHING)) {
            if (next.value.checkpoint !== null) yield { checkpoint };
          }
        }
        const { file, ...end } = next.value;
        for (const part of partsOf(file)) yield { file: part };
        return end;
      },
      status: () => ({ ready: true, reasons: [], facts: {} }),
      close: () => Promise.resolve(),
    };
  },
});

const NOTHING = new Uint8Array();

const requestOf = async (
  { model, training, ...order }: QuantizationTask,
  borrow: EngineHost['borrow'],
): Promise<QuantizationRequest> => {
  const modelFile = await pathOf(model, borrow);
  if (training === null) return { ...order, modelFile, training, checkpoint: null };
  const { text, checkpoint, ...recipe } = training;
  return {
    ...order,
    modelFile,
    training: { ...recipe, text: await readFile(await pathOf(text, borrow), 'utf8') },
    checkpoint: checkpoint && (await readFile(await pathOf(checkpoint, borrow))),
  };
};

const pieceOf = (
  { done, total, products, measurements }: QuantizationStep,
  { training }: QuantizationTask,
): QuantizationPiece => {
  const phase = training !== null && done <= training.steps ? 'training' : 'measuring';
  return { done, total, products, phase, measurements };
};

/** The work of an order, from the header of the file. @throws an error with a code of the engine */
export const estimateQuantization = async (
  modelFile: string,
  order: Pick<QuantizationOrder, 'coding' | 'budgetBytes'>,
  training: Pick<TernaryTraining, 'steps' | 'learningRate' | 'seed'> | null,
): Promise<QuantizationEstimate> => {
  const { estimateOf } = await import('#engines/quantization/measure/estimate.js');
  return estimateOf(modelFile, order, training);
};
