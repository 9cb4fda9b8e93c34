import { describe, expect, it } from '@jest/globals';
import { type PriceCard } from '#platform/ledger/price-card.js';
import { metersOf } from '#platform/tools/tool.js';
import { areas } from './areas.js';

const MODEL = 'acme/llama';
const METERS = [
  'synaptic_events',
  'macs',
  'wasm_fuel',
  'proof_pairings',
  'vault_bytes',
  'vault_vectors',
  'cached_micro_usd',
  'privacy_spends',
  'synthetic_rows',
  'cleanroom_rows',
  'fhe_multiplications',
  'fhe_rotations',
  'package_bytes',
  'package_download_bytes',
  'training_ms',
  'weight_products',
  'image_pixel_steps',
  'image_pixels',
  'upstream_images',
  'vision_frames',
  'audio_ms',
  'upstream_audio_ms',
  'speech_characters',
  'upstream_speech_characters',
  'live_minutes',
  'live_frames',
  'custody_bundles',
  'custody_byte_hours',
  'remote_prompt_tokens',
  'remote_completion_tokens',
  'observation_bytes',
  'workflow_steps',
  'mcp_calls',
  'tool_calls',
];
const PRICE = { unitPriceMicroUsd: '7', perUnits: 1_000 };

const card: PriceCard = {
  version: 1,
  sourceSha256: 'a'.repeat(64),
  batchDiscountPercent: 50,
  models: new Map([[MODEL, { inputMicroUsdPerMtok: '3', outputMicroUsdPerMtok: '5' }]]),
  meters: new Map(METERS.map((meter) => [meter, PRICE])),
  rigs: new Map([['gpu', '1990000']]),
};

/** A rental proves its rig; other products need no evidence for a price. */
const evidence = {
  number: 1,
  rig: 'gpu',
  rentalId: '7b0c4a52-6c58-4b3e-9f0e-0a1b2c3d4e5f',
  outcome: 'completed',
  attempts: 1,
};

const toolMeters = metersOf(areas.flatMap(({ tools }) => tools));

const lines = areas.flatMap(({ products }) =>
  products.flatMap((product) => {
    const meters = { ...product.meters, ...(product.callsTools && toolMeters) };
    return Object.keys(meters).map((meter) => ({ purpose: product.purpose, meter, product }));
  }),
);

describe('every product is priced again by its lines', () => {
  it.each(lines)('$purpose by $meter', ({ meter, product }) => {
    const line = { meter, model: MODEL };
    const price = product.unitPrice(card, { line, charge: { evidence, lines: [] } });
    expect(price).not.toBeNull();
    const other = { ...card, models: new Map(), meters: new Map(), rigs: new Map() };
    expect(product.unitPrice(other, { line, charge: { evidence, lines: [] } })).toBeNull();
  });

  it('and every product has a meter', () => {
    const declared = areas.flatMap(({ products }) => products.map(({ purpose }) => purpose));
    expect(new Set(lines.map(({ purpose }) => purpose))).toEqual(new Set(declared));
  });
});
