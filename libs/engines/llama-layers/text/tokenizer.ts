/** Byte-level byte-pair encoding by the vocabulary and merges of the GGUF file itself. */
import { Tokenizer } from '@huggingface/tokenizers';
import { withoutTrailing } from '#platform/kernel/trailing.js';
import { type LlamaHeader } from '../model/llama.header.js';
import { unsupported } from '../llama-layers.errors.js';
import { bytesOfToken } from './byte-characters.js';

/** Token types of llama.cpp. */
const CONTROL = 3;
const USER_DEFINED = 4;

/** Control tokens by which llama.cpp ends an answer, whatever the file calls its end of text. */
const END_TOKENS: ReadonlySet<string> = new Set([
  '<|im_end|>',
  '<|endoftext|>',
  '<|eot_id|>',
  '<|end|>',
  '<|end_of_text|>',
  '<end_of_turn>',
  '</s>',
]);

/** The used part of the library, whose declared types do not resolve for ES modules. */
interface Encoder {
  encode(text: string): { readonly ids: readonly number[] };
}
const EncoderOf = Tokenizer as unknown as new (model: object, settings: object) => Encoder;

const BYTE_LEVEL = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false } as const;

/** A text that leaves no token out: what a template writes, or what a message says. */
export interface TextPart {
  readonly text: string;
  /** Whether a spelled control token is one; in a message it is plain text. */
  readonly isTemplate: boolean;
}

export class GgufTokenizer {
  readonly #plain: Encoder;
  readonly #special: Encoder;
  readonly #tokens: readonly string[];
  readonly #silent: ReadonlySet<number>;
  /** Tokens that end an answer. */
  readonly endIds: ReadonlySet<number>;
  /** Of the token that begins a text; empty where the model has none. */
  readonly firstIds: readonly number[];

  /** @throws LayersError `model_unsupported`, which names the tokenizer */
  constructor({ metadata, shape }: LlamaHeader) {
    const tokens = stringsOf(metadata.get('tokenizer.ggml.tokens'), 'tokenizer.ggml.tokens');
    const merges = stringsOf(metadata.get('tokenizer.ggml.merges'), 'tokenizer.ggml.merges');
    demandByteLevel(metadata);
    if (tokens.length !== shape.vocabulary) unsupported(`it has ${tokens.length} tokens`);
    const types = metadata.get('tokenizer.ggml.token_type');
    const typeOf = (id: number): unknown => (Array.isArray(types) ? types[id] : undefined);
    const ids = [...tokens.keys()];
    const controls = ids.filter((id) => typeOf(id) === CONTROL);
    const added = ids.filter((id) => typeOf(id) === CONTROL || typeOf(id) === USER_DEFINED);
    this.#tokens = tokens;
    this.#silent = new Set(controls);
    this.#plain = build(tokens, merges, []);
    this.#special = build(tokens, merges, added);
    const idIn = (key: string): number[] => {
      const id = metadata.get(`tokenizer.ggml.${key}`);
      return typeof id === 'number' ? [id] : [];
    };
    this.endIds = new Set([
      ...idIn('eos_token_id'),
      ...idIn('eot_token_id'),
      ...controls.filter((id) => END_TOKENS.has(tokens[id] ?? '')),
    ]);
    this.firstIds =
      metadata.get('tokenizer.ggml.add_bos_token') === true ? idIn('bos_token_id') : [];
  }

  /** Each part is cut on its own, as llama.cpp cuts them. */
  encode(parts: readonly TextPart[]): Int32Array {
    return Int32Array.from(this.begun(parts.flatMap((part) => this.cut(part))));
  }

  /** A part by itself, without the token that begins a text. */
  cut({ text, isTemplate }: TextPart): readonly number[] {
    return text === '' ? [] : (isTemplate ? this.#special : this.#plain).encode(text).ids;
  }

  /** With the token that begins a text, where the model has one. */
  begun(ids: readonly number[]): readonly number[] {
    const [first] = this.firstIds;
    return first === undefined || ids[0] === first ? ids : [first, ...ids];
  }

  /** Text of tokens as they come: a character that is cut waits for its rest. */
  decoder(): TokenDecoder {
    const text = new TextDecoder();
    return {
      push: (id) =>
        this.#silent.has(id)
          ? ''
          : text.decode(bytesOfToken(this.#tokens[id] ?? ''), { stream: true }),
      // Half a character at a cut-off end is dropped.
      flush: () => withoutTrailing(text.decode(), '\uFFFD'),
    };
  }
}

export interface TokenDecoder {
  push(id: number): string;
  flush(): string;
}

const stringsOf = (value: unknown, key: string): readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')
    ? value
    : unsupported(`it has no ${key}`);

const demandByteLevel = (metadata: LlamaHeader['metadata']): void => {
  const kind = metadata.get('tokenizer.ggml.model');
  const pieces = metadata.get('tokenizer.ggml.pre') ?? 'gpt-2';
  if (kind !== 'gpt2') unsupported(`its tokenizer.ggml.model is ${JSON.stringify(kind)}, not gpt2`);
  if (pieces !== 'gpt-2')
    unsupported(`its tokenizer.ggml.pre is ${JSON.stringify(pieces)}, not gpt-2`);
};

const build = (
  tokens: readonly string[],
  merges: readonly string[],
  added: readonly number[],
): Encoder =>
  new EncoderOf(
    {
      version: '1.0',
      added_tokens: added.map((id) => ({
        id,
        content: tokens[id] ?? '',
        single_word: false,
        lstrip: false,
        rstrip: false,
        normalized: false,
        special: true,
      })),
      normalizer: null,
      pre_tokenizer: { ...BYTE_LEVEL, use_regex: true },
      post_processor: null,
      decoder: { ...BYTE_LEVEL, use_regex: true },
      model: {
        type: 'BPE',
        vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
        merges: [...merges],
      },
    },
    {},
  );
