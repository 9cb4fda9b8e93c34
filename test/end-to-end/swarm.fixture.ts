import path from 'node:path';
import { type ServerResponse } from 'node:http';
import {
  chunksOf,
  completionOf,
  DONE,
  eventOf,
  json,
  type Received,
  type Script,
  sse,
  statement,
  usageChunkOf,
} from '#areas/inference/rigs/upstream.fake.js';

const NANO = path.resolve(import.meta.dirname, '../../models/nano.gguf');

export const SPECULATE = '/api/v1/swarm/vllm_orchestrate';
export const AGREE = '/api/v1/swarm/moa_consensus';

/** A token costs 1 micro-dollar in and 2 out, in the built-in models 3 and 5. */
export const catalogOf = (baseUrl: string): string => `
rigs:
  - { name: first, kind: openai, base_url: ${baseUrl}, server: vllm }
  - { name: second, kind: openai, base_url: ${baseUrl} }
  - { name: built-in, kind: embedded }
models:
  - { id: acme/alpha, upstream_id: alpha, owned_by: acme, rigs: [first], context: 8192,
      max_output: 100, price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } }
  - { id: acme/beta, upstream_id: beta, owned_by: acme, rigs: [second, first], context: 8192,
      max_output: 100, price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } }
  - { id: acme/nano, owned_by: acme, rigs: [built-in], file: ${NANO}, context: 1024,
      max_output: 64, price: { input_usd_per_mtok: 3, output_usd_per_mtok: 5 }, draft: acme/draft }
  - { id: acme/draft, owned_by: acme, rigs: [built-in], file: ${NANO}, context: 1024,
      max_output: 64, price: { input_usd_per_mtok: 0, output_usd_per_mtok: 0 } }
`;

/** Tokens of every prompt that the upstream counts. */
export const PROMPT_TOKENS = 9;

/** What the upstream says for a model. Undefined: it fails with the status 400. */
export interface UpstreamWords {
  words: Readonly<Record<string, readonly string[] | undefined>>;
  /** Of the last chunk, as vLLM has it. */
  metrics?: unknown;
  /** What vLLM has drafted and accepted so far; grows with each read. */
  counters?: { drafts: number; drafted: number; accepted: number };
}

/** Answers by the model that is asked, in whatever order requests come. */
export const upstreamSaying =
  (says: UpstreamWords): Script =>
  (response, received) => {
    if (received.path === '/metrics') return expose(says, response);
    const words = says.words[String(received.body['model'])];
    if (!words) {
      return json(400, { error: { message: 'it is broken' } })(response, received);
    }
    const usage = statement(PROMPT_TOKENS, words.length);
    if (received.body['stream'] !== true) {
      return json(200, completionOf(words.join(''), usage))(response, received);
    }
    const last = { ...usageChunkOf(usage), ...(says.metrics != null && { metrics: says.metrics }) };
    return sse([...chunksOf(...words).map(eventOf), eventOf(last), DONE])(response, received);
  };

const expose = ({ counters }: UpstreamWords, response: ServerResponse): void => {
  if (!counters) {
    response.writeHead(404).end();
    return;
  }
  const line = (name: string, value: number): string =>
    `vllm:spec_decode_num_${name}_total{engine="0",model_name="alpha"} ${value}.0`;
  const { drafts, drafted, accepted } = counters;
  response.end(
    [
      '# TYPE vllm:spec_decode_num_drafts_total counter',
      line('drafts', drafts),
      line('draft_tokens', drafted),
      line('accepted_tokens', accepted),
    ].join('\n'),
  );
  Object.assign(counters, { drafts: drafts + 4, drafted: drafted + 20, accepted: accepted + 12 });
};

/** The messages that the upstream was sent for a model. */
export const messagesTo = (received: readonly Received[], model: string): readonly unknown[] =>
  received.filter(({ body }) => body['model'] === model).map(({ body }) => body['messages']);
