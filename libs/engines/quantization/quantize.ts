/** Measures a model, chooses the coding of each tensor, and writes the quantized file. */
import { type Coding, CODINGS, codedBytes } from './codings.js';
import { quantizedFile } from './file/quantized-file.js';
import { chooseCodings, type CodingOption } from './measure/bit-choice.js';
import { type Arithmetic, energySavingPct } from './measure/modelled-energy.js';
import { type TextLoss } from './measure/text-loss.js';
import { type CodedTensor } from './model/coded-tensor.js';
import { type Matrix, MeasuredModel } from './model/measured-model.js';
import { QuantizationError } from './quantization.errors.js';
import {
  type Measurements,
  type QuantizationOrder,
  type QuantizationReport,
  type Sensitivity,
  type TensorReport,
} from './quantization.protocol.js';

/** Codings of a mixed choice, the smallest first; the `_1` forms are only taken when asked for. */
const MIXED: readonly Coding[] = ['BITNET', 'Q4_0', 'Q5_0', 'Q8_0', 'F32'];

export interface Measured {
  readonly done: number;
  readonly total: number;
  readonly measurements: Measurements;
  readonly products: number;
}

export interface Quantized {
  readonly report: QuantizationReport;
  readonly parts: readonly Uint8Array[];
}

/**
 * Yields after each measurement.
 * @throws the errors of `MeasuredModel.open`; QuantizationError `budget_too_small`
 */
export async function* quantize(
  order: QuantizationOrder,
): AsyncGenerator<Measured, Quantized, void> {
  const model = await MeasuredModel.open(order.modelFile, order.text, order.kernel);
  const options = model.matrices.map((matrix) => ({
    matrix,
    codings: codingsOf(matrix, order),
  }));
  demandBudget(model, options, order.budgetBytes);
  const measured = options.flatMap(({ matrix, codings }) =>
    codings.filter((coding) => coding !== 'F32').map((coding) => ({ matrix, coding })),
  );
  const total = measured.length + 2;
  let measurements = order.known;
  const step = (done: number, tokens: number): Measured => ({
    done,
    total,
    measurements,
    products: model.parameters * tokens,
  });

  let { baseline } = measurements;
  if (baseline === null) {
    baseline = await model.loss(new Map());
    measurements = { ...measurements, baseline };
    yield step(1, model.tokens.text);
  }
  for (const { matrix, coding } of measured.slice(measurements.sensitivities.length)) {
    const nats = await model.divergence(matrix.name, coding);
    const sensitivities = [...measurements.sensitivities, { tensor: matrix.name, coding, nats }];
    measurements = { ...measurements, sensitivities };
    yield step(1 + sensitivities.length, model.tokens.sensitivity);
  }

  const { sensitivities } = measurements;
  const coded = codeAll(model, choose(options, sensitivities, order.budgetBytes, model));
  const quantized = await model.loss(coded);
  yield step(total, model.tokens.text);
  const tensors = reportsOf(model, coded, sensitivities);
  const report = reportOf(model, { baseline, quantized, tensors, order });
  return { report, parts: quantizedFile(model.source, order.name, coded) };
}

interface MatrixOptions {
  readonly matrix: Matrix;
  /** The only one, or the ones to choose from. */
  readonly codings: readonly Coding[];
}

/** Ternary weights are for layers: the embedding, which gives the logits too, has 8 bits or more. */
const codingsOf = (
  { isLinear }: Matrix,
  { coding, budgetBytes }: QuantizationOrder,
): readonly Coding[] => {
  if (budgetBytes === null) {
    if (isLinear) return [coding];
    return [coding === 'BITNET' ? 'F32' : 'Q8_0'];
  }
  const smallest = CODINGS.indexOf(coding);
  const allowed = MIXED.filter((one) => one === coding || CODINGS.indexOf(one) > smallest);
  return isLinear ? allowed : allowed.filter((one) => one !== 'BITNET');
};

const demandBudget = (
  model: MeasuredModel,
  options: readonly MatrixOptions[],
  budgetBytes: number | null,
): void => {
  if (budgetBytes === null) return;
  const smallest = options.reduce(
    (sum, { matrix, codings }) =>
      sum + Math.min(...codings.map((coding) => codedBytes(coding, matrix.dimensions))),
    floatBytes(model),
  );
  if (smallest <= budgetBytes) return;
  const detail = `the tensors need ${smallest} bytes at least, and the budget is ${budgetBytes}`;
  throw new QuantizationError('budget_too_small', detail);
};

/** The bytes of the tensors that always keep their floats. */
const floatBytes = (model: MeasuredModel): number =>
  4 *
  (model.parameters -
    model.matrices.reduce((sum, { dimensions: [width = 0, rows = 0] }) => sum + width * rows, 0));

const choose = (
  options: readonly MatrixOptions[],
  sensitivities: readonly Sensitivity[],
  budgetBytes: number | null,
  model: MeasuredModel,
): ReadonlyMap<string, Coding> => {
  const optionsOf = ({ matrix, codings }: MatrixOptions): readonly CodingOption[] =>
    codings.map((coding) => ({
      coding,
      bytes: codedBytes(coding, matrix.dimensions),
      nats: natsOf(sensitivities, matrix.name, coding) ?? 0,
    }));
  const chosen =
    budgetBytes === null
      ? options.flatMap((one) => optionsOf(one).slice(0, 1))
      : chooseCodings(options.map(optionsOf), budgetBytes - floatBytes(model));
  if (chosen === null) {
    const detail = 'the tensors in their smallest codings fill the budget to less than 0.1 %';
    throw new QuantizationError('budget_too_small', detail);
  }
  return new Map(options.map(({ matrix }, index) => [matrix.name, chosen[index]?.coding ?? 'F32']));
};

const natsOf = (
  sensitivities: readonly Sensitivity[],
  tensor: string,
  coding: Coding,
): number | null =>
  sensitivities.find((one) => one.tensor === tensor && one.coding === coding)?.nats ?? null;

const codeAll = (
  model: MeasuredModel,
  chosen: ReadonlyMap<string, Coding>,
): ReadonlyMap<string, CodedTensor> =>
  new Map(
    model.source.header.tensors.map(({ name }) => [
      name,
      model.code(name, chosen.get(name) ?? 'F32'),
    ]),
  );

const reportsOf = (
  model: MeasuredModel,
  coded: ReadonlyMap<string, CodedTensor>,
  sensitivities: readonly Sensitivity[],
): readonly TensorReport[] =>
  [...coded].map(([tensor, { coding, format, bytes, restored }]) => {
    const nats = natsOf(sensitivities, tensor, coding);
    return {
      tensor,
      coding,
      format,
      originalBytes: 4 * restored.length,
      bytes: bytes.length,
      divergenceNatsPerToken: nats === null ? null : nats / model.tokens.sensitivity,
    };
  });

const reportOf = (
  model: MeasuredModel,
  {
    baseline,
    quantized,
    tensors,
    order,
  }: {
    readonly baseline: TextLoss;
    readonly quantized: TextLoss;
    readonly tensors: readonly TensorReport[];
    readonly order: QuantizationOrder;
  },
): QuantizationReport => {
  const sum = (bytesOf: (tensor: TensorReport) => number): number =>
    tensors.reduce((total, tensor) => total + bytesOf(tensor), 0);
  const codingOf = new Map(tensors.map(({ tensor, coding }) => [tensor, coding]));
  return {
    parameters: model.parameters,
    originalBytes: sum(({ originalBytes }) => originalBytes),
    quantizedBytes: sum(({ bytes }) => bytes),
    baseline,
    quantized,
    tensors,
    energySavingPct: energySavingPct(
      // A tied embedding is looked up once and multiplied once; a lookup multiplies nothing.
      model.matrices.map(({ name, dimensions: [width = 0, rows = 0] }) => ({
        arithmetic: arithmeticOf(codingOf.get(name) ?? 'F32', order),
        products: width * rows,
      })),
    ),
  };
};

const arithmeticOf = (coding: Coding, { kernel }: QuantizationOrder): Arithmetic => {
  if (coding === 'F32') return 'float16';
  return coding === 'BITNET' && kernel === 'add_subtract' ? 'int8Add' : 'int8';
};
