/** Measures a model, chooses the coding of each tensor, and writes the quantized file. */
import { type Coding, codedBytes, storedBytes } from './codings.js';
import { quantizedFile } from './file/quantized-file.js';
import { chooseCodings, type CodingOption } from './measure/bit-choice.js';
import { type Arithmetic, energySavingPct } from './measure/modelled-energy.js';
import { type TextLoss } from './measure/text-loss.js';
import { type CodedTensor } from './model/coded-tensor.js';
import { MeasuredModel } from './model/measured-model.js';
import { QuantizationError } from './quantization.errors.js';
import {
  type Measurements,
  type QuantizationOrder,
  type QuantizationReport,
  type Sensitivity,
  type TensorReport,
} from './quantization.protocol.js';
import { demandBudget, keptBytes, type MatrixOptions, optionsOf } from './tensor-options.js';

export interface Measured {
  readonly done: number;
  readonly total: number;
  readonly measurements: Measurements;
  /** Weights times tokens of all steps so far, the known ones too. */
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
  const { tensors: infos } = model.source.header;
  const options = optionsOf(infos, order);
  demandBudget(infos, options, order.budgetBytes);
  const measured = options.flatMap(({ matrix, codings }) =>
    codings.filter((coding) => coding !== 'F32').map((coding) => ({ matrix, coding })),
  );
  const total = measured.length + 2;
  let measurements = order.known;
  const step = (done: number, texts: number): Measured => {
    const alone = measurements.sensitivities.length * model.tokens.sensitivity;
    const products = model.parameters * (texts * model.tokens.text + alone);
    return { done, total, measurements, products };
  };

  let { baseline } = measurements;
  if (baseline === null) {
    baseline = await originalLoss(order, model);
    measurements = { ...measurements, baseline };
    yield step(1, 1);
  }
  for (const { matrix, coding } of measured.slice(measurements.sensitivities.length)) {
    const nats = await model.divergence(matrix.name, coding);
    const sensitivities = [...measurements.sensitivities, { tensor: matrix.name, coding, nats }];
    measurements = { ...measurements, sensitivities };
    yield step(1 + sensitivities.length, 1);
  }

  const { sensitivities } = measurements;
  const coded = codeAll(model, choose(options, sensitivities, order.budgetBytes, model));
  const quantized = await model.loss(coded);
  yield step(total, 2);
  const tensors = reportsOf(model, coded, sensitivities);
  const report = reportOf(model, { baseline, quantized, tensors, options, order });
  return { report, parts: quantizedFile(model.source, order.name, coded) };
}

const originalLoss = async (
  { modelFile, originalFile, text, kernel }: QuantizationOrder,
  model: MeasuredModel,
): Promise<TextLoss> => {
  const original =
    originalFile === modelFile ? model : await MeasuredModel.open(originalFile, text, kernel);
  return original.loss(new Map());
};

const choose = (
  options: readonly MatrixOptions[],
  sensitivities: readonly Sensitivity[],
  budgetBytes: number | null,
  model: MeasuredModel,
): ReadonlyMap<string, Coding> => {
  const measured = ({ matrix, codings }: MatrixOptions): readonly CodingOption[] =>
    codings.map((coding) => ({
      coding,
      bytes: codedBytes(coding, matrix),
      nats: natsOf(sensitivities, matrix.name, coding) ?? 0,
    }));
  const chosen =
    budgetBytes === null
      ? options.flatMap((one) => measured(one).slice(0, 1))
      : chooseCodings(options.map(measured), budgetBytes - keptBytes(model.source.header.tensors));
  if (chosen === null) {
    const detail = 'no choice of codings fits the budget; a slightly larger one would do';
    throw new QuantizationError('budget_too_small', detail);
  }
  return new Map(options.map(({ matrix }, at) => [matrix.name, chosen[at]?.coding ?? 'F32']));
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
  model.source.header.tensors.flatMap((info) => {
    const { name: tensor } = info;
    const written = coded.get(tensor);
    if (written === undefined) return [];
    const { coding, format, bytes } = written;
    const nats = natsOf(sensitivities, tensor, coding);
    return {
      tensor,
      coding,
      format,
      originalBytes: storedBytes(info),
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
    options,
    order,
  }: {
    readonly baseline: TextLoss;
    readonly quantized: TextLoss;
    readonly tensors: readonly TensorReport[];
    readonly options: readonly MatrixOptions[];
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
      options.map(
        ({
          matrix: {
            name,
            dimensions: [width = 0, rows = 0],
          },
        }) => ({
          arithmetic: arithmeticOf(codingOf.get(name) ?? 'F32', order),
          products: width * rows,
        }),
      ),
    ),
  };
};

const arithmeticOf = (coding: Coding, { kernel }: QuantizationOrder): Arithmetic => {
  if (coding === 'F32') return 'float16';
  return coding === 'BITNET' && kernel === 'add_subtract' ? 'int8Add' : 'int8';
};
