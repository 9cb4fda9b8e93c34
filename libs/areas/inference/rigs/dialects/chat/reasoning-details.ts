import { type JsonObject } from '../../chat-backend.js';
import { isObject } from '../../token-usage.js';
import { rejectedField } from '../../field-rejection.js';

/**
 * What a model thought, in the field `reasoning_details` of messages and deltas, as OpenRouter
 * defines it. A signature proves to its provider that the thought is its own, so the caller sends
 * the entries back unchanged. In a stream, the entries with the same `index` are pieces of one.
 */
export type ReasoningDetail = ReasoningText | ReasoningEncrypted;

/** The provider that a signature is for. */
export type ReasoningFormat = 'anthropic-claude-v1' | 'google-gemini-v1' | 'unknown';

export interface ReasoningText {
  readonly type: 'reasoning.text';
  readonly text?: string;
  readonly signature?: string;
  readonly format: ReasoningFormat;
  readonly index: number;
}

/** What only the provider can read: a signature of Gemini, or a redacted thought. */
export interface ReasoningEncrypted {
  readonly type: 'reasoning.encrypted';
  readonly data: string;
  /** The call that the signature belongs to; absent for one of a text. */
  readonly id?: string;
  readonly format: ReasoningFormat;
  readonly index: number;
}

/** More than any provider sends in one answer. */
const DETAILS_MAX = 1_000;

/**
 * The entries of an assistant's message; pieces are joined, those of unknown types left out.
 * @throws RigError `refused` that names a field which is none
 */
export const reasoningIn = (message: JsonObject, at: string): readonly ReasoningDetail[] => {
  const { reasoning_details: details = null } = message;
  if (details === null) return [];
  const where = `${at}.reasoning_details`;
  if (!Array.isArray(details) || details.length > DETAILS_MAX) {
    const why = `expected a list of at most ${DETAILS_MAX} entries`;
    throw rejectedField(where, 'invalid_value', why);
  }
  const read = new Map<string, ReasoningDetail>();
  for (const [n, entry] of (details as readonly unknown[]).entries()) {
    const detail = isObject(entry) ? detailOf(entry, n) : null;
    if (!detail) continue;
    const key = `${detail.format} ${detail.index} ${detail.type}`;
    const before = read.get(key);
    const isPiece = before?.type === 'reasoning.text' && detail.type === 'reasoning.text';
    if (isPiece) read.set(key, joined(before, detail));
    else read.set(before ? `${key} ${n}` : key, detail);
  }
  return [...read.values()];
};

const joined = (before: ReasoningText, next: ReasoningText): ReasoningText => ({
  ...before,
  ...next,
  text: (before.text ?? '') + (next.text ?? ''),
});

const FORMATS: readonly unknown[] = ['anthropic-claude-v1', 'google-gemini-v1'];

const detailOf = (entry: JsonObject, n: number): ReasoningDetail | null => {
  const { type, text, signature, data, id, format, index } = entry;
  const all = {
    format: FORMATS.includes(format) ? (format as ReasoningFormat) : 'unknown',
    index: typeof index === 'number' ? index : n,
  };
  if (type === 'reasoning.text') {
    return {
      type,
      ...(typeof text === 'string' && { text }),
      ...(typeof signature === 'string' && { signature }),
      ...all,
    };
  }
  if (type !== 'reasoning.encrypted' || typeof data !== 'string') return null;
  return { type, data, ...(typeof id === 'string' && { id }), ...all };
};
