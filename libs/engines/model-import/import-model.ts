/** Reads an uploaded model strictly, and writes it as a file of our own. */
import { parseGgufHeader } from '../language-model/gguf.header.js';
import { parametersIn } from '../language-model/parameters.js';
import { type LlamaShape } from '../llama-layers/model/llama.header.js';
import { GgufTokenizer } from '../llama-layers/text/tokenizer.js';
import { LayersError } from '../llama-layers/llama-layers.errors.js';
import { vocabularyOf } from '../llama-layers/text/vocabulary.js';
import { llamaHeaderOf } from '../llama-layers/model/llama.header.js';
import { readableFormat } from '../llama-layers/formats/readable-formats.js';
import { chatTemplateOf } from './chat-template.js';
import { readGgufModel } from './gguf-model.js';
import { type ReadModel } from './read-model.js';
import { PARAMETERS_MAX } from './import-limits.js';
import { ModelImportError, reject } from './model-import.errors.js';
import { type ModelImportEnd, type ModelImportTask } from './model-import.protocol.js';
import { readSafetensorsModel } from './safetensors-model.js';
import { demandVocabulary } from './vocabulary-check.js';
import { writtenModel } from './written-model.js';

const LAYERS_MAX = 256;
const WIDTH_MAX = 16_384;
const CONTEXT_TOKENS_MAX = 1_048_576;

const GGUF = 'GGUF';
/** Has bytes of several characters, spaces and digits, which tokenizers cut differently. */
const SAMPLE = 'What is a hold?  Größe 10 €, 你好\n\tif (x >= 2) return;';

/** @throws ModelImportError */
export const importModel = (task: ModelImportTask): ModelImportEnd => {
  const isGguf = Buffer.from(task.file.subarray(0, GGUF.length)).toString('latin1') === GGUF;
  const model = isGguf ? readGgufModel(task) : readSafetensorsModel(task);
  demandShape(model.shape);
  demandVocabulary(model.vocabulary);
  const parameters = demandSize(model);
  const contextTokens = contextOf(task, model.shape);
  const chatTemplate = chatTemplateOf(task.chatTemplate, model);
  const file = Buffer.concat(writtenModel({ ...task, model, contextTokens, chatTemplate }));
  return {
    file: new Uint8Array(file),
    format: isGguf ? 'gguf' : 'safetensors',
    parameters,
    contextTokens,
    tensorFormats: [...new Set(model.tensors.map(({ type }) => readableFormat(type)?.name ?? ''))],
    chatTemplate,
    vocabulary: demandReadable(file),
  };
};

/** The file that was written, as every engine will read it. */
const demandReadable = (file: Uint8Array): string => {
  try {
    const header = llamaHeaderOf(parseGgufHeader(file));
    const tokenizer = new GgufTokenizer(header);
    const decoder = tokenizer.decoder();
    const ids = tokenizer.cut({ text: SAMPLE, isTemplate: false });
    const text = ids.map((id) => decoder.push(id)).join('') + decoder.flush();
    if (text !== SAMPLE) reject('unsupported', 'its tokenizer does not restore a text');
    return vocabularyOf(header.metadata);
  } catch (error) {
    if (error instanceof LayersError) return reject('unsupported', error.message);
    if (error instanceof ModelImportError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    return reject('unsupported', `its tokenizer cannot be built: ${reason}`);
  }
};

const demandShape = (shape: LlamaShape): void => {
  const { width, layers, heads, keyHeads, headWidth, feedForwardWidth } = shape;
  const whole = { width, layers, heads, keyHeads, headWidth, feedForwardWidth };
  for (const [name, value] of Object.entries(whole)) {
    if (!Number.isInteger(value)) reject('file_invalid', `its ${name} is ${value}`);
  }
  if (layers > LAYERS_MAX) reject('too_large', `it has ${layers} layers, not ${LAYERS_MAX}`);
  if (width > WIDTH_MAX) reject('too_large', `it is ${width} wide, not ${WIDTH_MAX}`);
  if (heads % keyHeads !== 0) {
    reject('file_invalid', `${heads} heads do not share ${keyHeads} heads of keys`);
  }
  if (headWidth % 2 !== 0) reject('unsupported', `its heads are ${headWidth} wide`);
  for (const value of [shape.ropeBase, shape.normEpsilon]) {
    if (!Number.isFinite(value)) reject('file_invalid', 'its numbers are not finite');
  }
};

const demandSize = ({ tensors }: ReadModel): number => {
  const parameters = parametersIn(tensors);
  if (parameters <= PARAMETERS_MAX) return parameters;
  const detail = `it has ${parameters} parameters; at most ${PARAMETERS_MAX} are taken`;
  return reject('too_large', detail);
};

const contextOf = (
  { contextTokens: asked }: Pick<ModelImportTask, 'contextTokens'>,
  { contextTokens: own }: LlamaShape,
): number => {
  if (!Number.isInteger(own)) reject('file_invalid', `its context length is ${own}`);
  const most = Math.min(own, CONTEXT_TOKENS_MAX);
  if (asked === null || asked <= most) return asked ?? most;
  return reject(
    'side_file_invalid',
    `card.context_length: expected at most ${most}, the length of the file, received ${asked}`,
  );
};
