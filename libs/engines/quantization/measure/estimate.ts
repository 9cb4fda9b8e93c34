/** The work of a quantization before it begins, from the header of its file. */
import { readLlamaHeader } from '../../llama-layers/model/llama.header.js';
import { trainableShape } from '../../training/files/llama-file.js';
import { type TrainingRecipe } from '../../training/training.protocol.js';
import { demandSize, SENSITIVITY_WINDOWS, WINDOWS_MAX } from '../model/measured-model.js';
import { parametersIn } from '../../language-model/parameters.js';
import { type QuantizationOrder, type TernaryTraining } from '../quantization.protocol.js';
import { codedBytes } from '../codings.js';
import { demandBudget, keptBytes, optionsOf } from '../tensor-options.js';
import { WINDOW_TOKENS } from './text-loss.js';

/** Rows of a step of training, and the tokens of each. */
const [ROWS, POSITIONS] = [8, 128];
const WARM_UP_STEPS = 20;
/** A checkpoint has three numbers for each weight. */
const [CHECKPOINT_STEPS_MAX, CHECKPOINTS] = [40, 3];
/** Forwards, and backwards to the activations and to the weights. */
const PASSES_OF_A_STEP = 3;

type Recipe = Omit<TernaryTraining, 'text'>;

/** @throws the errors of `trainableShape` */
export const trainingSteps = async (
  modelFile: string,
  { steps, learningRate, seed }: Recipe,
): Promise<{ readonly recipe: TrainingRecipe; readonly productsOf: number }> => {
  const shape = await trainableShape(modelFile);
  const recipe: TrainingRecipe = {
    steps,
    rows: ROWS,
    positions: Math.min(POSITIONS, shape.contextLength),
    learningRate,
    warmUpSteps: Math.min(WARM_UP_STEPS, steps),
    seed,
    checkpointSteps: Math.min(CHECKPOINT_STEPS_MAX, Math.ceil(steps / CHECKPOINTS)),
    tuning: { kind: 'ternary' },
  };
  const { tensors } = await readLlamaHeader(modelFile);
  const productsOf = PASSES_OF_A_STEP * parametersIn(tensors.values()) * ROWS * recipe.positions;
  return { recipe, productsOf };
};

export interface QuantizationEstimate {
  readonly parameters: number;
  /** The most that the steps count together: a shorter text has fewer. */
  readonly productsMax: number;
  /** Of all tensors of the result, with a budget at most. */
  readonly quantizedBytes: number;
}

/**
 * @throws LayersError, TrainingError `model_unsupported`; QuantizationError `model_too_large`,
 *   `budget_too_small`; TrainingError `model_too_large`; the errors of files
 */
export const estimateOf = async (
  modelFile: string,
  order: Pick<QuantizationOrder, 'coding' | 'budgetBytes'>,
  training: Recipe | null,
): Promise<QuantizationEstimate> => {
  const { tensors } = await readLlamaHeader(modelFile);
  const parameters = demandSize(parametersIn(tensors.values()));
  const options = optionsOf([...tensors.values()], order);
  demandBudget([...tensors.values()], options, order.budgetBytes);
  const measured = options.flatMap(({ codings }) => codings.filter((one) => one !== 'F32'));
  const windows = 2 * WINDOWS_MAX + measured.length * SENSITIVITY_WINDOWS;
  const learned =
    training === null ? 0 : (await trainingSteps(modelFile, training)).productsOf * training.steps;
  const chosen = options.reduce(
    (sum, { matrix, codings: [coding = 'F32'] }) => sum + codedBytes(coding, matrix),
    keptBytes([...tensors.values()]),
  );
  return {
    parameters,
    quantizedBytes: order.budgetBytes ?? chosen,
    productsMax: parameters * windows * WINDOW_TOKENS + learned,
  };
};
