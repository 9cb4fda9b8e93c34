import { type QuantizationInput } from './quantization.task.js';
import { reject } from './quantization.errors.js';

export type WeightCoding = QuantizationInput['coding'];
export type QuantizationMethod = QuantizationInput['method'];

/** The widths that callers may ask for, with the codings of each, the default first. */
export const WIDTHS: ReadonlyMap<number, readonly WeightCoding[]> = new Map([
  [1.58, ['BITNET']],
  [4, ['Q4_0', 'Q4_1']],
  [5, ['Q5_0', 'Q5_1']],
  [8, ['Q8_0']],
]);

export const ACTIVATION_BITS = 8;
export const TRAINING_STEPS_MAX = 1_000;
export const DEFAULT_TRAINING_STEPS = 120;
/** The highest of a training; measured on nano and mini. */
export const LEARNING_RATE = 1e-3;

/** Of a coding; 32 of floats. */
export const widthOf = (coding: string): number =>
  [...WIDTHS].find(([, codings]) => codings.some((one) => one === coding))?.[0] ?? 32;

/** A quantization as an account asks for it; null where the default applies. */
export interface QuantizationOrder {
  readonly accountId: string;
  readonly model: string;
  /** One of `WIDTHS`. */
  readonly weightBits: number;
  readonly coding: WeightCoding | null;
  readonly addsOnly: boolean | null;
  readonly method: QuantizationMethod;
  readonly memoryBudgetBytes: number | null;
  readonly slug: string | null;
  readonly trainingSteps: number | null;
  readonly seed: number;
}

export interface ChosenOptions {
  readonly coding: WeightCoding;
  readonly addsOnly: boolean;
  readonly trainingSteps: number | null;
}

/** @throws DomainError `quantization_option_invalid`, which names the field */
export const optionsIn = (order: QuantizationOrder): ChosenOptions => {
  const { weightBits, method } = order;
  const codings = WIDTHS.get(weightBits) ?? [];
  const coding =
    order.coding ?? codings[0] ?? invalid('weight_bits', [...WIDTHS.keys()], weightBits);
  if (!codings.includes(coding)) invalid('weight_format', codings, coding);
  const isTernary = coding === 'BITNET';
  if (!isTernary && order.addsOnly === true) {
    return invalid('zero_multiplication_mode', [0], `1 with weight_bits ${weightBits}`);
  }
  if (!isTernary && method === 'qat') {
    return invalid('method', ['ptq'], `qat with weight_bits ${weightBits}`);
  }
  if (method === 'qat' && order.memoryBudgetBytes !== null) {
    return invalid('memory_budget_mb', ['none'], 'one with method qat');
  }
  if (method === 'ptq' && order.trainingSteps !== null) {
    return invalid('qat_steps', ['none'], `${order.trainingSteps} with method ptq`);
  }
  return {
    coding,
    addsOnly: isTernary && order.addsOnly !== false,
    trainingSteps: method === 'qat' ? (order.trainingSteps ?? DEFAULT_TRAINING_STEPS) : null,
  };
};

const invalid = (field: string, expected: readonly unknown[], received: unknown): never =>
  reject(
    'quantization_option_invalid',
    `${field}: expected ${expected.join(' or ')}, received ${String(received)}`,
  );

const SLUG_LENGTH_MAX = 40;

/** The name of a model without one of its own: of its base, its coding and its job. */
export const defaultSlug = (model: string, coding: WeightCoding, jobId: string): string => {
  const base = model
    .slice(model.lastIndexOf('/') + 1)
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, SLUG_LENGTH_MAX);
  return `${base === '' ? 'model' : base}-${coding.toLowerCase()}-${jobId.slice(-8)}`;
};
