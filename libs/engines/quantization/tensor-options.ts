/** The codings that each matrix of a model may have. */
import { type GgufTensorInfo } from '../language-model/gguf.header.js';
import { type Coding, CODINGS, codedBytes, formatOf, storedBytes } from './codings.js';
import { QuantizationError } from './quantization.errors.js';
import { type QuantizationOrder } from './quantization.protocol.js';

type Tensor = Pick<GgufTensorInfo, 'name' | 'dimensions' | 'type'>;
type Choice = Pick<QuantizationOrder, 'coding' | 'budgetBytes'>;

export interface MatrixOptions {
  readonly matrix: Tensor;
  /** The only one, or the ones to choose from. */
  readonly codings: readonly Coding[];
}

/** Codings of a mixed choice, the smallest first; the `_1` forms are only taken when asked for. */
const MIXED: readonly Coding[] = ['BITNET', 'Q4_0', 'Q5_0', 'Q8_0', 'F32'];

/** Matrices of layers multiply; the embedding gives the logits too, or has an output beside it. */
const isLinear = ({ name }: Tensor): boolean => name.startsWith('blk.');

const matricesOf = (tensors: readonly Tensor[]): readonly Tensor[] =>
  tensors.filter(({ dimensions }) => dimensions.length === 2);

/** @throws QuantizationError `rows_unsupported` */
export const optionsOf = (tensors: readonly Tensor[], choice: Choice): readonly MatrixOptions[] =>
  matricesOf(tensors).map((matrix) => {
    const codings = allowed(matrix, choice).filter((coding) => holds(coding, matrix));
    if (codings.length > 0) return { matrix, codings };
    const detail = `${matrix.name} has rows of ${matrix.dimensions[0] ?? 0} weights`;
    throw new QuantizationError('rows_unsupported', `${detail}, and blocks have 32`);
  });

const holds = (coding: Coding, { dimensions: [rowLength = 0] }: Tensor): boolean => {
  try {
    formatOf(coding, rowLength);
    return true;
  } catch {
    return false;
  }
};

const allowed = (matrix: Tensor, { coding, budgetBytes }: Choice): readonly Coding[] => {
  if (budgetBytes === null) {
    if (isLinear(matrix)) return [coding];
    return [coding === 'BITNET' ? 'F32' : 'Q8_0'];
  }
  const smallest = CODINGS.indexOf(coding);
  const larger = MIXED.filter((one) => one === coding || CODINGS.indexOf(one) > smallest);
  return isLinear(matrix) ? larger : larger.filter((one) => one !== 'BITNET');
};

/** The bytes of the tensors that always stay as they are. */
export const keptBytes = (tensors: readonly Tensor[]): number => {
  const matrices = new Set(matricesOf(tensors));
  return tensors
    .filter((tensor) => !matrices.has(tensor))
    .reduce((sum, tensor) => sum + storedBytes(tensor), 0);
};

/** @throws QuantizationError `budget_too_small`, which says how much is needed */
export const demandBudget = (
  tensors: readonly Tensor[],
  options: readonly MatrixOptions[],
  budgetBytes: number | null,
): void => {
  if (budgetBytes === null) return;
  const smallest = options.reduce(
    (sum, { matrix, codings }) =>
      sum + Math.min(...codings.map((coding) => codedBytes(coding, matrix))),
    keptBytes(tensors),
  );
  // The choice counts in parts of the budget, and rounds each tensor up.
  const needed = Math.ceil(smallest * 1.02);
  if (needed <= budgetBytes) return;
  const detail = `the tensors need ${needed} bytes at least, and the budget is ${budgetBytes}`;
  throw new QuantizationError('budget_too_small', detail);
};
