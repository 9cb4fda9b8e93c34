import { OwnModelRegistered, OwnModelRemoved } from '#events/platform/own-model.events.js';

export const MODEL = 'model-0123456789abcdef0123456789abcdef';
export const REMOVED_AT = '2026-03-02T09:00:00.000Z';

const named = {
  modelId: MODEL,
  accountId: '7',
  slug: 'nano-tuned',
  blob: 'ab'.repeat(32),
};

export const terms = {
  origin: {
    kind: 'distillation',
    jobId: '0e9e9b5e-6a1c-5d2a-9f5a-1f6f0d1c2b3a',
    baseModel: 'quipu/nano',
  },
  sha256: 'cd'.repeat(32),
  parameters: 1_000,
  contextTokens: 1_024,
  maxOutputTokens: 256,
  price: { inputMicroUsdPerMtok: '50000', outputMicroUsdPerMtok: '100000' },
  rateCardVersion: 3,
  batchDiscountPercent: 50,
  registeredAt: '2026-03-01T09:00:00.000Z',
} as const;

export const registered = OwnModelRegistered.of({ ...named, ...terms, bytes: 12 });

export const registeredAs = (modelId: string, slug: string): OwnModelRegistered =>
  OwnModelRegistered.of({ ...registered.data, modelId, slug });

export const removed = OwnModelRemoved.of({ ...named, removedAt: REMOVED_AT });
