import { z } from 'zod';
import { type InputData, inputDataOf } from '#areas/spiking/input-data.js';
import { BATCH_INPUTS_MAX } from '#areas/spiking/batches/spiking-batch.task.js';
import {
  NEURON_MODELS,
  type NeuronModel,
  TIMESTEPS_DEFAULT,
  TIMESTEPS_MAX,
} from '#areas/spiking/spiking.modes.js';
import { messageOf } from '#platform/kernel/faults.js';
import { HttpFailure } from '../errors/http-failure.js';

/** Fields of a form are text. */
const fromText = (read: (text: string) => unknown) => (value: unknown) =>
  typeof value === 'string' ? read(value) : value;

const numberOf = fromText((text) => (/^\d{1,6}$/.test(text) ? Number(text) : text));
const booleanOf = fromText((text) => {
  if (text === 'true' || text === '1') return true;
  return text === 'false' || text === '0' ? false : text;
});

const Neuron = z.enum(NEURON_MODELS).nullish();

const asked = {
  model: z
    .string()
    .min(1)
    .max(128)
    .nullish()
    .describe('The slug of a network. Default: the network of `routing_mode`.'),
  routing_mode: z
    .string()
    .min(1)
    .max(64)
    .nullish()
    .describe('Instead of `model`, or beside it. Without both, snnlib/spiking-resnet50 runs.'),
  timesteps: z.preprocess(numberOf, z.int().min(1).max(TIMESTEPS_MAX).nullish()).meta({
    type: ['integer', 'null'],
    minimum: 1,
    maximum: TIMESTEPS_MAX,
    default: TIMESTEPS_DEFAULT,
  }),
  node_type: Neuron.describe('The neuron model; another name of `neuron_model`.'),
  neuron_model: Neuron.describe('Default: the neuron that the network was trained with.'),
};

const SESSION_LENGTH_MAX = 60;

/**
 * Zod schemas and not classes: an input may have more values than the validation of classes is
 * meant for.
 */
export const InferBody = z.strictObject({
  ...asked,
  input_data: z.unknown().meta({
    description: 'A text, or numbers in arrays that may be nested.',
    anyOf: [{ type: 'string' }, { type: 'array', items: {} }],
  }),
  return_raster: z
    .preprocess(booleanOf, z.boolean().nullish())
    .meta({ type: ['boolean', 'null'], default: false }),
  session_id: z
    .string()
    .min(1)
    .max(SESSION_LENGTH_MAX)
    .nullish()
    .describe('The run continues from the membranes of the run before it in this session.'),
});

export const BatchBody = z.strictObject({
  ...asked,
  inputs: z
    .array(z.unknown())
    .min(1)
    .max(BATCH_INPUTS_MAX)
    .describe('One `input_data` for each run.'),
});

type Asked = Pick<z.infer<typeof BatchBody>, Exclude<keyof z.infer<typeof BatchBody>, 'inputs'>>;

/** The fields of both routes that name a network. */
export interface NetworkAsked {
  readonly model: string | null;
  readonly routingMode: string | null;
  readonly timesteps: number;
  readonly neuron: NeuronModel | null;
}

export interface InferAsked extends NetworkAsked {
  readonly input: InputData;
  readonly raster: boolean;
  readonly session: string | null;
}

/** @throws HttpFailure, DomainError `snn_input_invalid` */
export const inferAskedOf = (sent: unknown): InferAsked => {
  const body = parsed(InferBody, sent);
  return {
    ...networkAskedOf(body),
    input: inputDataOf(listInText(body.input_data)),
    raster: body.return_raster ?? false,
    session: body.session_id ?? null,
  };
};

/** @throws HttpFailure, DomainError `snn_input_invalid` */
export const batchAskedOf = (
  sent: unknown,
): NetworkAsked & { readonly inputs: readonly InputData[] } => {
  const body = parsed(BatchBody, sent);
  return {
    ...networkAskedOf(body),
    inputs: body.inputs.map((input, index) => inputDataOf(input, `inputs[${index}]`)),
  };
};

const networkAskedOf = (body: Asked): NetworkAsked => {
  const { node_type: node, neuron_model: neuron } = body;
  if (node != null && neuron != null && node !== neuron) {
    throw invalid(['node_type and neuron_model are one field, and differ'], 'neuron_model');
  }
  return {
    model: body.model ?? null,
    routingMode: body.routing_mode ?? null,
    timesteps: body.timesteps ?? TIMESTEPS_DEFAULT,
    neuron: node ?? neuron ?? null,
  };
};

/** Numbers in brackets, and what some languages write where JSON has no number. */
const LIST_IN_TEXT = /^\[(?:[\s\d.,eE+[\]-]|NaN|Infinity)*\]$/;

/**
 * A form has its numbers as text: `[0.1, 0.2]`.
 * @throws HttpFailure for such a text that is no JSON
 */
const listInText = (value: unknown): unknown => {
  if (typeof value !== 'string' || !LIST_IN_TEXT.test(value)) return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    throw invalid(['input_data: is no JSON array of finite numbers'], 'input_data');
  }
};

const parsed = <Schema extends z.ZodType>(schema: Schema, sent: unknown): z.infer<Schema> => {
  const { success, data, error } = schema.safeParse(sent);
  if (success) return data;
  const faults = error.issues.map(({ path, message }) => {
    const field = path.map(String).join('.');
    return field === '' ? message : `${field}: ${message}`;
  });
  const [first] = error.issues;
  const unknownField = first?.code === 'unrecognized_keys' ? first.keys[0] : undefined;
  throw invalid(faults, unknownField ?? first?.path.map(String)[0]);
};

const invalid = (faults: readonly string[], param: string | undefined): HttpFailure =>
  new HttpFailure({
    status: 400,
    code: 'invalid_request',
    message: messageOf(faults),
    ...(param !== undefined && { param }),
  });
