import path from 'node:path';
import { json, type Received, type Script } from '#areas/inference/rigs/upstream.fake.js';
import { scriptedCatalog } from './quipu.harness.js';

const MODELS = path.resolve(import.meta.dirname, '../../models');

/** Of work that no token counts: a micro-dollar for a unit, or a dollar for a million. */
const METERS = {
  each: [
    'synaptic_events',
    'macs',
    'proof_pairings',
    'privacy_spends',
    'cleanroom_rows',
    'mcp_calls',
    'tool_calls',
  ],
  many: [
    ...['audio_ms', 'upstream_speech_characters', 'wasm_fuel', 'training_ms', 'weight_products'],
    ...['workflow_steps', 'vault_vectors', 'vault_bytes', 'fhe_multiplications', 'fhe_rotations'],
    ...['vision_frames', 'image_pixel_steps', 'image_pixels'],
    ...['package_bytes', 'package_download_bytes'],
    ...['custody_bundles', 'custody_byte_hours', 'observation_bytes', 'synthetic_rows'],
    ...['cached_micro_usd', 'live_minutes', 'live_frames'],
  ],
} as const;

/** A catalog in which every product has a price and a rig. @param folder of tiny models */
export const everyProductCatalog =
  (folder: string) =>
  (baseUrl: string): string => `${scriptedCatalog(baseUrl).replace(
    'max_concurrency: 64 }',
    'max_concurrency: 64, hourly_usd: 0.0036 }\n  - { name: built-in, kind: embedded }',
  )}
  - { id: ranker, kind: rerank, upstream_id: ranker-1, owned_by: acme, rigs: [scripted],
      context: 512, price: { input_usd_per_mtok: 1, search_usd_per_thousand: 2 } }
  - { id: judge, kind: moderation, upstream_id: judge-1, owned_by: acme, rigs: [scripted],
      context: 512, price: { input_usd_per_mtok: 1 } }
  - { id: quipu-embed-768, kind: embedding, owned_by: quipu, rigs: [built-in], dimensions: 768,
      context: 8192, file: ${MODELS}/embeddings/quipu-embed-768/model.safetensors,
      price: { input_usd_per_mtok: 1 } }
  - { id: quipu/nano, owned_by: quipu, rigs: [built-in], context: 1024, max_output: 64,
      file: ${MODELS}/nano.gguf, price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 },
      draft: acme/draft }
  - { id: acme/draft, owned_by: acme, rigs: [built-in], context: 1024, max_output: 64,
      file: ${MODELS}/nano.gguf, price: { input_usd_per_mtok: 0, output_usd_per_mtok: 0 } }
${['teacher', 'student'].map((name) => tinyModel(folder, name)).join('')}meters:
${meterLines(METERS.each, 1)}${meterLines(METERS.many, 1_000_000)}`;

/** A micro-dollar for one, or a dollar for more. */
const meterLines = (meters: readonly string[], per: number): string =>
  meters
    .map((meter) => `  - { meter: ${meter}, usd: ${per === 1 ? 0.000001 : 1}, per: ${per} }\n`)
    .join('');

const tinyModel = (folder: string, name: string): string => `
  - { id: acme/${name}, owned_by: acme, rigs: [built-in], file: ${folder}/${name}.gguf,
      context: 128, max_output: 16, price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } }
`;

const judged = (input: unknown) => ({
  id: 'modr-1',
  model: 'judge-1',
  results: [input].flat().map(() => ({ flagged: false, categories: {}, category_scores: {} })),
});

const ranked = ({ documents }: { readonly documents: readonly string[] }) => ({
  id: 'rank-1',
  model: 'ranker-1',
  results: documents.map((_, index) => ({ index, relevance_score: index / 10 })),
  usage: { total_tokens: 9 },
});

/** Chats, rankings and moderations. */
export const everyUpstream =
  (chat: Script): Script =>
  (response, received: Received) => {
    const { path: asked, body } = received;
    if (asked.endsWith('/rerank')) {
      json(200, ranked(body as unknown as Parameters<typeof ranked>[0]))(response, received);
    } else if (asked.endsWith('/moderations')) {
      json(200, judged(body['input']))(response, received);
    } else chat(response, received);
  };
