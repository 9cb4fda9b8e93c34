/** Files as an account may upload them, of a tiny model with the tokens of nano. */
import { type NamedTensor, writeSafetensors } from '#platform/safetensors/safetensors.js';
import { type BytePairVocabulary, type GgufModel, writeGguf } from '../training/files/gguf.js';
import { initialTensors } from '../training/model/llama.model.js';
import { seededRandom } from '../training/seeded-random.js';
import { nanoVocabulary } from '../training/training.fixture.js';
import { type ModelImportTask } from './model-import.protocol.js';

export const TASK: Omit<ModelImportTask, 'file'> = {
  config: null,
  tokenizer: null,
  name: 'Micro',
  licence: 'Apache-2.0',
  source: 'https://example.org/micro',
  contextTokens: null,
  chatTemplate: null,
};

export const microModel = async (): Promise<GgufModel> => {
  const vocabulary = await nanoVocabulary();
  const shape = {
    vocabulary: vocabulary.tokens.length,
    width: 32,
    layers: 2,
    heads: 4,
    keyHeads: 2,
    feedForwardWidth: 64,
    contextLength: 256,
    ropeBase: 10_000,
    normEpsilon: 1e-5,
    hasOutput: true,
  };
  return { name: 'micro', shape, vocabulary, tensors: initialTensors(shape, seededRandom(5)) };
};

export const microGguf = async (changes: Partial<GgufModel> = {}): Promise<Buffer> =>
  writeGguf({ ...(await microModel()), ...changes });

/** @param changes of the tensors, by their names */
export const safetensorsOf = (
  { tensors }: GgufModel,
  changes: ReadonlyMap<string, NamedTensor> = new Map(),
): Buffer => {
  const named = tensors.map(({ name, ...tensor }): [string, NamedTensor] => [name, tensor]);
  return writeSafetensors(new Map([...named, ...changes]));
};

/** The same file with its tensors in the upper halves of their floats. */
export const inBrainFloats = (file: Buffer): Buffer => {
  const length = Number(file.readBigUInt64LE());
  const header = JSON.parse(file.toString('utf8', 8, 8 + length)) as Record<string, object>;
  const halved = Object.entries(header).map(([name, entry]) => {
    const { data_offsets: offsets } = entry as { readonly data_offsets: readonly number[] };
    return [name, { ...entry, dtype: 'BF16', data_offsets: offsets.map((at) => at / 2) }];
  });
  const json = JSON.stringify(Object.fromEntries(halved));
  const head = Buffer.alloc(8 + Math.ceil(json.length / 8) * 8, ' ');
  head.writeBigUInt64LE(BigInt(head.length - 8));
  head.write(json, 8);
  const bits = new Uint32Array(new Uint8Array(file.subarray(8 + length)).buffer);
  return Buffer.concat([head, new Uint8Array(Uint16Array.from(bits, (one) => one >>> 16).buffer)]);
};

export const configOf = ({ shape }: GgufModel, changes: object = {}): string =>
  JSON.stringify({
    architectures: ['LlamaForCausalLM'],
    model_type: 'llama',
    vocab_size: shape.vocabulary,
    hidden_size: shape.width,
    num_hidden_layers: shape.layers,
    num_attention_heads: shape.heads,
    num_key_value_heads: shape.keyHeads,
    intermediate_size: shape.feedForwardWidth,
    max_position_embeddings: shape.contextLength,
    rope_theta: shape.ropeBase,
    rms_norm_eps: shape.normEpsilon,
    bos_token_id: 1_277,
    eos_token_id: 1_279,
    pad_token_id: 1_277,
    ...changes,
  });

/** As `tokenizers` saves a byte-level BPE. */
export const tokenizerOf = (
  { tokens, merges, controls }: BytePairVocabulary,
  changes: object = {},
): string =>
  JSON.stringify({
    version: '1.0',
    added_tokens: controls.map((content) => ({
      id: tokens.indexOf(content),
      content,
      special: true,
    })),
    normalizer: null,
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, use_regex: true },
    post_processor: { type: 'ByteLevel', add_prefix_space: true },
    decoder: { type: 'ByteLevel' },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      vocab: Object.fromEntries(
        tokens.flatMap((token, id) => (controls.includes(token) ? [] : [[token, id]])),
      ),
      merges: merges.map((merge) => merge.split(' ')),
    },
    ...changes,
  });
