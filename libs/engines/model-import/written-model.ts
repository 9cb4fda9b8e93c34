/** The file that is kept: it has no byte of the header of an upload, and no unknown key. */
import {
  fileTypeOf,
  ggufEntry,
  ggufFile,
  type GgufValue,
  ggufValue,
} from '../language-model/gguf.writer.js';
import { textOf } from './chat-template.js';
import { type ChatTemplate, type ModelImportTask } from './model-import.protocol.js';
import { type ReadModel, type ReadVocabulary } from './read-model.js';

const { u32, f32, text } = ggufValue;

export interface ModelToWrite extends Pick<ModelImportTask, 'name' | 'licence' | 'source'> {
  readonly model: ReadModel;
  readonly contextTokens: number;
  readonly chatTemplate: ChatTemplate;
}

export const writtenModel = (order: ModelToWrite): readonly Uint8Array[] => {
  const { model, name, licence, source, chatTemplate } = order;
  const entries: readonly [string, GgufValue][] = [
    ['general.architecture', text('llama')],
    ['general.name', text(name)],
    ['general.license', text(licence)],
    ['general.source.url', text(source)],
    ['general.file_type', u32(fileTypeOf(model.tensors))],
    ...shapeEntries(order),
    ...vocabularyEntries(model.vocabulary),
    ['tokenizer.chat_template', text(textOf(chatTemplate))],
  ];
  return ggufFile(
    entries.map(([key, value]) => ggufEntry(key, value)),
    model.tensors,
  );
};

const shapeEntries = ({ model: { shape }, contextTokens }: ModelToWrite): [string, GgufValue][] => [
  ['llama.context_length', u32(contextTokens)],
  ['llama.embedding_length', u32(shape.width)],
  ['llama.block_count', u32(shape.layers)],
  ['llama.feed_forward_length', u32(shape.feedForwardWidth)],
  ['llama.attention.head_count', u32(shape.heads)],
  ['llama.attention.head_count_kv', u32(shape.keyHeads)],
  ['llama.attention.key_length', u32(shape.headWidth)],
  ['llama.attention.value_length', u32(shape.headWidth)],
  ['llama.attention.layer_norm_rms_epsilon', f32(shape.normEpsilon)],
  ['llama.rope.dimension_count', u32(shape.headWidth)],
  ['llama.rope.freq_base', f32(shape.ropeBase)],
  ['llama.vocab_size', u32(shape.vocabulary)],
];

const vocabularyEntries = (vocabulary: ReadVocabulary): [string, GgufValue][] => {
  const { tokens, types, merges, firstId, endId, paddingId, addsFirst } = vocabulary;
  const ids: readonly [string, number | null][] = [
    ['bos_token_id', firstId],
    ['eos_token_id', endId],
    ['padding_token_id', paddingId],
  ];
  return [
    ['tokenizer.ggml.model', text('gpt2')],
    ['tokenizer.ggml.pre', text('gpt-2')],
    ['tokenizer.ggml.tokens', { type: 'strings', value: tokens }],
    ['tokenizer.ggml.token_type', { type: 'i32s', value: types }],
    ['tokenizer.ggml.merges', { type: 'strings', value: merges }],
    ...ids.flatMap(([name, id]): [string, GgufValue][] =>
      id === null ? [] : [[`tokenizer.ggml.${name}`, u32(id)]],
    ),
    ['tokenizer.ggml.add_bos_token', { type: 'bool', value: addsFirst }],
  ];
};
