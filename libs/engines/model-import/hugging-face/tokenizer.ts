/** `tokenizer.json`, as far as it is a byte-level BPE that is cut as GPT-2 cuts. */
import { z } from 'zod';
import { reject } from '../model-import.errors.js';
import { type ReadVocabulary } from '../read-model.js';
import { parsedAs, type ReadConfig } from './config.js';

const FILE = 'tokenizer.json';
const VOCABULARY_MAX = 262_144;

const ByteLevel = z.object({
  type: z.literal('ByteLevel'),
  add_prefix_space: z.literal(false).optional(),
  use_regex: z.literal(true).default(true),
});

const Added = z.object({
  id: z.int().nonnegative(),
  content: z.string().min(1),
  special: z.boolean(),
});

const Template = z.object({
  type: z.literal('TemplateProcessing'),
  single: z.array(
    z.union([
      z.object({ SpecialToken: z.object({ id: z.string() }) }),
      z.object({ Sequence: z.object({ id: z.string() }) }),
    ]),
  ),
});

const Tokenizer = z.object({
  normalizer: z.null().optional(),
  pre_tokenizer: ByteLevel,
  post_processor: z.union([z.object({ type: z.literal('ByteLevel') }), Template]).nullish(),
  decoder: z.object({ type: z.literal('ByteLevel') }),
  added_tokens: z.array(Added).max(VOCABULARY_MAX).default([]),
  model: z.object({
    type: z.literal('BPE'),
    dropout: z.null().optional(),
    byte_fallback: z.literal(false).optional(),
    ignore_merges: z.literal(false).optional(),
    continuing_subword_prefix: z.union([z.null(), z.literal('')]).optional(),
    end_of_word_suffix: z.union([z.null(), z.literal('')]).optional(),
    vocab: z.record(z.string(), z.int().nonnegative().max(VOCABULARY_MAX)),
    merges: z.array(z.union([z.string(), z.tuple([z.string(), z.string()])])),
  }),
});
type Tokenizer = z.infer<typeof Tokenizer>;

/** llama.cpp's numbers of types. */
const [NORMAL, CONTROL, USER_DEFINED, UNUSED] = [1, 3, 4, 5];

/** @throws ModelImportError `side_file_invalid`, which names the part */
export const readTokenizer = (
  text: string | null,
  { shape, firstId, endId, paddingId }: ReadConfig,
): ReadVocabulary => {
  const { model, added_tokens: added, post_processor: post } = parsedAs(Tokenizer, text, FILE);
  const tokens = new Array<string | undefined>(shape.vocabulary);
  const types = new Array<number>(shape.vocabulary).fill(NORMAL);
  const place = (id: number, token: string, type: number): void => {
    if (id >= tokens.length) wrong(`the token ${id} is beyond vocab_size, ${tokens.length}`);
    if ((tokens[id] ?? token) !== token) wrong(`two tokens have the id ${id}`);
    [tokens[id], types[id]] = [token, type];
  };
  for (const [token, id] of Object.entries(model.vocab)) place(id, token, NORMAL);
  for (const { id, content, special } of added) {
    place(id, content, special ? CONTROL : USER_DEFINED);
  }
  const filled = Array.from(tokens, (token, id) => {
    if (token !== undefined) return token;
    types[id] = UNUSED;
    return `[PAD${id}]`;
  });
  const first = firstOf(post, filled);
  return {
    tokens: filled,
    types,
    merges: model.merges.map((merge) => (typeof merge === 'string' ? merge : merge.join(' '))),
    firstId: first ?? firstId,
    endId: endId ?? reject('side_file_invalid', 'config.json: eos_token_id: expected an id'),
    paddingId,
    addsFirst: first !== null,
  };
};

/** The token that is put in front of a text; nothing else may be put around it. */
const firstOf = (post: Tokenizer['post_processor'], tokens: readonly string[]): number | null => {
  if (!post || post.type === 'ByteLevel') return null;
  const [first, ...rest] = post.single;
  const isPlain = post.single.length === 1 && first !== undefined && 'Sequence' in first;
  if (isPlain) return null;
  const isFirst = first !== undefined && 'SpecialToken' in first;
  if (isFirst && rest.length === 1 && rest[0] !== undefined && 'Sequence' in rest[0]) {
    return tokens.indexOf(first.SpecialToken.id);
  }
  return wrong('post_processor.single: expected at most one token in front of the text');
};

const wrong = (detail: string): never => reject('side_file_invalid', `${FILE}: ${detail}`);
