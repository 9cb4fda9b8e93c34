/** Writes and reads GGUF (version 3), as far as a float Llama with a tokenizer needs it. */
import { GgufFormatError, parseGgufHeader } from '../../language-model/gguf.header.js';
import {
  ggufEntry,
  ggufFile,
  type GgufValue,
  ggufValue,
} from '../../language-model/gguf.writer.js';
import { lengthOf, type LlamaShape, type NamedTensor, tensorShapes } from '../model/llama-shape.js';

const FLOAT_32 = 0;

/** The ids of a byte-level BPE, as GPT-2 defines it. */
export interface BytePairVocabulary {
  /** Visible spelling of every id: 256 bytes, then merges, then control tokens. */
  readonly tokens: readonly string[];
  /** In order of rank, each `left right`. */
  readonly merges: readonly string[];
  /** Control tokens, e.g. `<|im_start|>`; they sit at the end of `tokens`. */
  readonly controls: readonly string[];
}

const { u32, f32, text } = ggufValue;

/** ChatML, in the Jinja that llama.cpp and Hugging Face both read. */
export const CHAT_TEMPLATE =
  "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content']" +
  " + '<|im_end|>' + '\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}" +
  '{% endif %}';

/** Token type numbers of llama.cpp. */
const NORMAL_TOKEN = 1;
const CONTROL_TOKEN = 3;

const metadata = (
  name: string,
  shape: LlamaShape,
  { tokens, merges, controls }: BytePairVocabulary,
  chatTemplate: string,
): [string, GgufValue][] => [
  ['general.architecture', text('llama')],
  ['general.name', text(name)],
  ['general.license', text('apache-2.0')],
  ['general.file_type', u32(FLOAT_32)],
  ['llama.context_length', u32(shape.contextLength)],
  ['llama.embedding_length', u32(shape.width)],
  ['llama.block_count', u32(shape.layers)],
  ['llama.feed_forward_length', u32(shape.feedForwardWidth)],
  ['llama.attention.head_count', u32(shape.heads)],
  ['llama.attention.head_count_kv', u32(shape.keyHeads ?? shape.heads)],
  ['llama.attention.layer_norm_rms_epsilon', f32(shape.normEpsilon)],
  ['llama.rope.dimension_count', u32(shape.width / shape.heads)],
  ['llama.rope.freq_base', f32(shape.ropeBase)],
  ['llama.vocab_size', u32(shape.vocabulary)],
  ['tokenizer.ggml.model', text('gpt2')],
  ['tokenizer.ggml.pre', text('gpt-2')],
  ['tokenizer.ggml.tokens', { type: 'strings', value: tokens }],
  [
    'tokenizer.ggml.token_type',
    {
      type: 'i32s',
      value: tokens.map((token) => (controls.includes(token) ? CONTROL_TOKEN : NORMAL_TOKEN)),
    },
  ],
  ['tokenizer.ggml.merges', { type: 'strings', value: merges }],
  ['tokenizer.ggml.bos_token_id', u32(tokens.indexOf('<|endoftext|>'))],
  ['tokenizer.ggml.eos_token_id', u32(tokens.indexOf('<|im_end|>'))],
  ['tokenizer.ggml.padding_token_id', u32(tokens.indexOf('<|endoftext|>'))],
  ['tokenizer.ggml.add_bos_token', { type: 'bool', value: false }],
  ['tokenizer.chat_template', text(chatTemplate)],
];

const GGUF_NAMES: readonly [RegExp, string][] = [
  [/^model\.embed_tokens\.weight$/, 'token_embd.weight'],
  [/^model\.norm\.weight$/, 'output_norm.weight'],
  [/^lm_head\.weight$/, 'output.weight'],
  [/^model\.layers\.(\d+)\.input_layernorm\.weight$/, 'blk.$1.attn_norm.weight'],
  [/^model\.layers\.(\d+)\.post_attention_layernorm\.weight$/, 'blk.$1.ffn_norm.weight'],
  [/^model\.layers\.(\d+)\.self_attn\.([qkv])_proj\.weight$/, 'blk.$1.attn_$2.weight'],
  [/^model\.layers\.(\d+)\.self_attn\.o_proj\.weight$/, 'blk.$1.attn_output.weight'],
  [/^model\.layers\.(\d+)\.mlp\.(gate|up|down)_proj\.weight$/, 'blk.$1.ffn_$2.weight'],
];

/** llama.cpp's name of a tensor that Hugging Face calls `name`. */
export const ggufName = (name: string): string => {
  const rule = GGUF_NAMES.find(([pattern]) => pattern.test(name));
  if (rule === undefined) throw new RangeError(`no GGUF name for ${name}`);
  return name.replace(...rule);
};

/**
 * Hugging Face rotates the first half of a head against the second; llama.cpp rotates neighbours.
 * So rows of q and k change places: row `half * h/2 + i` of a head becomes row `2 i + half`.
 */
export const reorderHeads = (
  { name, shape, values }: NamedTensor,
  { heads: queryHeads, keyHeads = queryHeads }: LlamaShape,
  direction: 'to-gguf' | 'to-hugging-face',
): Float32Array => {
  const [rows = 0, columns = 0] = shape;
  if (!/\.(q|k)_proj\./.test(name)) return values;
  const heads = name.includes('.k_proj.') ? keyHeads : queryHeads;
  const height = rows / heads;
  const reordered = new Float32Array(values.length);
  for (let row = 0; row < rows; row += 1) {
    const inHead = row % height;
    const half = Math.floor(inHead / (height / 2));
    const paired = row - inHead + 2 * (inHead % (height / 2)) + half;
    const [from, to] = direction === 'to-gguf' ? [row, paired] : [paired, row];
    reordered.set(values.subarray(from * columns, (from + 1) * columns), to * columns);
  }
  return reordered;
};

export interface GgufModel {
  readonly name: string;
  readonly shape: LlamaShape;
  readonly vocabulary: BytePairVocabulary;
  /** Under Hugging Face's names, in the order of `tensorShapes`. */
  readonly tensors: readonly NamedTensor[];
  /** Jinja. Default: ChatML. */
  readonly chatTemplate?: string;
}

/** The bytes of a GGUF file with every tensor in 32-bit floats. */
export const writeGguf = ({
  name,
  shape,
  vocabulary,
  tensors,
  chatTemplate = CHAT_TEMPLATE,
}: GgufModel): Buffer => {
  const entries = metadata(name, shape, vocabulary, chatTemplate);
  const written = tensors.map((tensor) => {
    const { buffer, byteOffset, byteLength } = reorderHeads(tensor, shape, 'to-gguf');
    return {
      name: ggufName(tensor.name),
      dimensions: tensor.shape.toReversed(),
      type: FLOAT_32,
      bytes: new Uint8Array(buffer, byteOffset, byteLength),
    };
  });
  return Buffer.concat(
    ggufFile(
      entries.map(([key, value]) => ggufEntry(key, value)),
      written,
    ),
  );
};

const shapeFrom = (entries: ReadonlyMap<string, unknown>): LlamaShape => ({
  vocabulary: entries.get('llama.vocab_size') as number,
  width: entries.get('llama.embedding_length') as number,
  layers: entries.get('llama.block_count') as number,
  heads: entries.get('llama.attention.head_count') as number,
  feedForwardWidth: entries.get('llama.feed_forward_length') as number,
  contextLength: entries.get('llama.context_length') as number,
  ropeBase: entries.get('llama.rope.freq_base') as number,
  // Stored in 32 bits: six digits are what was written.
  normEpsilon: Number(
    (entries.get('llama.attention.layer_norm_rms_epsilon') as number).toPrecision(6),
  ),
});

/** Reads back what `writeGguf` wrote. Throws a GgufFormatError for a file of another kind. */
export const readGguf = (bytes: Buffer): GgufModel => {
  const { metadata: entries, tensors: infos, dataStart } = parseGgufHeader(bytes);
  const shape = shapeFrom(entries);
  const tensors = tensorShapes(shape).map(([name, size]): NamedTensor => {
    const info = infos.find((candidate) => candidate.name === ggufName(name));
    if (info?.type !== FLOAT_32) throw new GgufFormatError(`no ${name} in 32-bit floats`);
    const start = dataStart + info.offset;
    const values = new Float32Array(lengthOf(size));
    new Uint8Array(values.buffer).set(bytes.subarray(start, start + values.byteLength));
    const tensor = { name, shape: size, values };
    return { ...tensor, values: reorderHeads(tensor, shape, 'to-hugging-face') };
  });
  const tokens = entries.get('tokenizer.ggml.tokens') as string[];
  const types = entries.get('tokenizer.ggml.token_type') as number[];
  return {
    name: entries.get('general.name') as string,
    shape,
    tensors,
    vocabulary: {
      tokens,
      merges: entries.get('tokenizer.ggml.merges') as string[],
      controls: tokens.filter((_, id) => types[id] === CONTROL_TOKEN),
    },
  };
};
