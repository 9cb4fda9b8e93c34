import { z } from 'zod';
import { messageOf } from '#platform/kernel/faults.js';
import { isPublicUrl } from '#platform/network/public-url.js';
import { INPUTS_MAX, type InvalidEmbeddingBody } from '../embedding-body.js';
import { type RerankAsked } from '../rerank.js';
import { type ScoringOrder, type ScoringTask } from './scoring.ports.js';

/** A request for scores that can be priced. */
export interface ScoringAsked extends Pick<ScoringOrder, 'body' | 'items' | 'counted'> {
  readonly task: ScoringTask;
  /** Null: the first of the catalog. */
  readonly model: string | null;
  /** The most tokens of each item, without what a model puts around it. */
  readonly sizes: readonly number[];
  /** The most searches; absent: the task has none. */
  readonly searchesMax?: number;
  /** Hashed for the evidence. */
  readonly inputs: unknown;
}

export type ReadModerationBody =
  { readonly asked: ScoringAsked } | { readonly invalid: InvalidEmbeddingBody };

const Text = z.string().min(1, 'must not be empty');
const DATA_URL = /^data:/i;
const Url = z.string().refine((url) => DATA_URL.test(url) || isPublicUrl(url), {
  error: 'must be data, or an http or https URL with a public host and no credentials',
});

const Part = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: Text }),
  z.strictObject({ type: z.literal('image_url'), image_url: z.strictObject({ url: Url }) }),
]);

/** The body of OpenAI. Fields that Quipu does not read pass to the upstream unchanged. */
export const ModerationBody = z.looseObject({
  model: z.string().min(1).max(256).nullish(),
  input: z.union([
    Text,
    z.array(Text).min(1, 'must not be empty').max(INPUTS_MAX),
    z.array(Part).min(1, 'must not be empty').max(INPUTS_MAX),
  ]),
});

const NO_INPUT = 'must be a text, a list of texts or a list of parts';

export const readModerationBody = (value: unknown): ReadModerationBody => {
  const parsed = ModerationBody.safeParse(value);
  if (parsed.success) return { asked: askedOf(parsed.data) };
  const faults = parsed.error.issues.flatMap(({ path, message }) =>
    path[0] === 'input' ? inputFaults(value) : [{ param: path.map(String).join('.'), message }],
  );
  const message = messageOf(faults.map(({ param, message: text }) => `${param}: ${text}`));
  return { invalid: { message, param: faults[0]?.param ?? null } };
};

/** The faults of a list by its entries, of which a union would only say that nothing fits. */
const inputFaults = (value: unknown) => {
  const { input } = value as { readonly input?: unknown };
  const entries: readonly unknown[] = Array.isArray(input) ? input : [];
  const faults = entries.slice(0, INPUTS_MAX).flatMap((entry, at) => {
    const entrySchema = typeof entries[0] === 'string' ? Text : Part;
    return (entrySchema.safeParse(entry).error?.issues ?? []).map(({ path, message }) => ({
      param: [`input[${at}]`, ...path.map(String)].join('.'),
      message,
    }));
  });
  if (faults.length > 0) return faults;
  if (input === '') return [{ param: 'input', message: 'must not be empty' }];
  const isLong = entries.length > INPUTS_MAX;
  return [{ param: 'input', message: isLong ? `may have ${INPUTS_MAX} entries` : NO_INPUT }];
};

/** Byte-pair vocabularies rarely have longer tokens; in favour of the customer. */
const BYTES_PER_TOKEN = 8;

const countedTokens = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN), 0);

/** A list of parts is one input. */
const askedOf = ({ input, model, ...rest }: z.infer<typeof ModerationBody>): ScoringAsked => {
  const list = typeof input === 'string' ? [input] : input;
  const texts = list.flatMap((entry) => {
    if (typeof entry === 'string') return [entry];
    return entry.type === 'text' ? [entry.text] : [];
  });
  const bytes = texts.map((text) => Buffer.byteLength(text));
  const isOne = typeof list[0] !== 'string';
  // The size of an image in tokens is not published: the context of the model bounds it.
  const whole = texts.length < list.length ? Infinity : sumOf(bytes);
  return {
    task: 'moderation',
    model: model ?? null,
    items: isOne ? 1 : list.length,
    sizes: isOne ? [whole] : bytes,
    counted: { promptTokens: countedTokens(texts) },
    body: { ...rest, input },
    inputs: input,
  };
};

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, one) => sum + one, 0);

/** Cohere counts a search for each 100 documents, */
const DOCUMENTS_PER_SEARCH = 100;
/** and a document for each 500 tokens of it and the query, of which it leaves half to the query. */
const TOKENS_PER_PIECE = 250;

/** A ranking for a model that ranks: each document is read together with the query. */
export const rankingAsked = ({
  model,
  query,
  documents,
  topN,
  user,
}: RerankAsked): ScoringAsked => {
  const ofQuery = Buffer.byteLength(query);
  const sizes = documents.map((document) => ofQuery + Buffer.byteLength(document));
  const pieces = sumOf(sizes.map((size) => Math.ceil(size / TOKENS_PER_PIECE)));
  return {
    task: 'rerank',
    model,
    items: documents.length,
    sizes,
    searchesMax: Math.ceil(pieces / DOCUMENTS_PER_SEARCH),
    counted: {
      promptTokens: countedTokens([query, ...documents]),
      searches: Math.ceil(documents.length / DOCUMENTS_PER_SEARCH),
    },
    body: { query, documents, top_n: topN, ...(user !== undefined && { user }) },
    inputs: [query, ...documents],
  };
};
