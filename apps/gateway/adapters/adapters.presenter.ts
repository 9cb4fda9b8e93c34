import { type AdapterAnswer } from '#areas/adapters/infer-adapter.handler.js';
import { type VaultEntry } from '#areas/adapters/adapter-vault.js';
import { type VaultPage } from '#areas/adapters/vault.handler.js';
import { presentPage } from '../pages/page.dto.js';
import {
  type AdapterAnswerDto,
  type AdapterDto,
  type AdapterGainDto,
  type VaultDto,
  type VaultPageDto,
} from './adapters.dto.js';

/** Digits of losses. */
const DIGITS = 4;

const presentGain = ({
  loss,
  baseLoss,
  frequencyLoss,
  tokens,
}: NonNullable<VaultEntry['heldOut']>): AdapterGainDto => ({
  loss,
  base_loss: baseLoss,
  frequency_loss: frequencyLoss,
  gain: Number((baseLoss - loss).toFixed(DIGITS)),
  tokens,
});

export const presentAdapter = (entry: VaultEntry): AdapterDto => ({
  adapter_id: entry.adapterId,
  slug: entry.slug,
  category: entry.category,
  base_model: entry.baseModel,
  base_sha256: entry.baseSha256,
  rank: entry.rank,
  alpha: entry.alpha,
  size_bytes: entry.bytes,
  sha256: entry.sha256,
  source: entry.source,
  description: entry.description,
  held_out: entry.heldOut && presentGain(entry.heldOut),
  sample: entry.sample,
  uploaded_at: entry.uploadedAt,
});

export const presentVault = (query: VaultPageDto, found: VaultPage): VaultDto => ({
  ...presentPage(query, found),
  adapters: found.adapters.map(presentAdapter),
});

export const presentAnswer = (requestId: string, answer: AdapterAnswer): AdapterAnswerDto => {
  const { adapter, baseModel, text, finishReason, swapMs, promptTokens, completionTokens } = answer;
  return {
    status: 'success',
    request_id: requestId,
    output: text,
    finish_reason: finishReason,
    base_model: baseModel,
    adapter: presentAdapter(adapter),
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    },
    swap_ms: swapMs,
    engine: `embedded:${baseModel}@${adapter.baseSha256}`,
  };
};
