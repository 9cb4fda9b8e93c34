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
  - { id: acme/vectors, kind: embedding, owned_by: acme, rigs: [first], context: 8192,
      price: { input_usd_per_mtok: 1 } }
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

/** A line of a charge, at the prices of the upstream's models. */
export const chargedLine = (step: string, rig: string, meter: string, quantity: number) => ({
  step,
  model: rig === 'second' ? 'acme/beta' : 'acme/alpha',
  rig,
  meter,
  quantity,
  unitPriceMicroUsd: meter === 'input_tokens' ? '1000000' : '2000000',
  perUnits: 1_000_000,
});

/** As vLLM states them with `--per-request-spec-decode-metrics`. */
export const VLLM_METRICS = {
  speculative_decoding: {
    num_draft_tokens: 40,
    num_accepted_draft_tokens: 25,
    num_spec_steps: 8,
  },
};

/** The words of the upstream for a model. Undefined: it fails with the status 400. */
export interface UpstreamWords {
  words: Readonly<Record<string, readonly string[] | undefined>>;
  /** Of the last chunk, as vLLM has it. */
  metrics?: unknown;
  /** The drafted and accepted tokens of vLLM; they grow with each read. */
  counters?: { drafts: number; drafted: number; accepted: number };
}

/** Answers by the model that is asked, in whatever order requests come. */
export const upstreamSaying =
  (says: UpstreamWords): Script =>
  (response, received) => {
    if (received.path === '/metrics') {
      expose(says, response);
      return;
    }
    const words = says.words[String(received.body['model'])];
    if (!words) {
      json(400, { error: { message: 'it is broken' } })(response, received);
      return;
    }
    const usage = statement(PROMPT_TOKENS, words.length);
    if (received.body['stream'] !== true) {
      json(200, completionOf(words.join(''), usage))(response, received);
      return;
    }
    const last = { ...usageChunkOf(usage), ...(says.metrics != null && { metrics: says.metrics }) };
    sse([...chunksOf(...words).map(eventOf), eventOf(last), DONE])(response, received);
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

type Rejection = readonly [body: object, status: number, code: string, param: string];

/** The requests that `SPECULATE` rejects before anything is held. */
export const PAIR_REJECTIONS: readonly Rejection[] = [
  [{ model: 'acme/none' }, 404, 'swarm_model_unknown', 'model'],
  [{ model: 'acme/draft' }, 400, 'draft_model_missing', 'draft_model'],
  [{ draft_model: 'acme/none' }, 404, 'draft_model_unknown', 'draft_model'],
  [{ draft_model: 'acme/alpha' }, 400, 'draft_model_unsuitable', 'draft_model'],
  [{ speculative_steps: 17 }, 400, 'invalid_request', 'speculative_steps'],
  [{ messages: [{ role: 'tool', content: '' }] }, 400, 'invalid_request', 'messages[0].role'],
  [{ colour: 'red' }, 400, 'invalid_request', 'colour'],
];

/** The requests that `AGREE` rejects before anything is held. */
export const CONSENSUS_REJECTIONS: readonly Rejection[] = [
  [{ fanout_nodes: 9 }, 400, 'invalid_request', 'fanout_nodes'],
  [{ fanout_nodes: 0 }, 400, 'invalid_request', 'fanout_nodes'],
  [{ synthesis_model: 'acme/none' }, 404, 'synthesis_model_unknown', 'synthesis_model'],
  [{ member_models: ['acme/none'] }, 404, 'member_model_unknown', 'member_models'],
  [{ messages: [] }, 400, 'invalid_request', 'messages'],
];
