import { type ChatEstimate, type EstimatedPrice } from '#areas/inference/estimate-chat.handler.js';
import { fromDecimal, toUsd } from '#platform/kernel/money.js';
import { type EstimateDto } from './estimate.dto.js';

export const presentEstimate = ({
  price,
  availableMicroUsd,
  rejections,
}: ChatEstimate): EstimateDto => ({
  success: true,
  ...factsOf(price),
  available_usd: availableMicroUsd === null ? null : toUsd(availableMicroUsd),
  would_run: rejections.length === 0,
  rejections: rejections.map(({ code, message, param = null, status }) => ({
    code,
    message,
    param,
    status,
  })),
});

const factsOf = (price: EstimatedPrice | null) => {
  if (!price) {
    return { model: null, rate_card_version: null, tier: null, lines: [], max_cost_usd: null };
  }
  const { model, rateCardVersion, tier, lines, amountMicroUsd } = price;
  return {
    model,
    rate_card_version: rateCardVersion,
    tier: {
      service: tier.service ?? null,
      above_input_tokens: tier.aboveInputTokens ?? null,
      period: tier.period ?? null,
      residency: tier.residency ?? null,
    },
    lines: lines.map(({ meter, quantity, unitPriceMicroUsd, perUnits }) => ({
      meter,
      quantity,
      usd: toUsd(fromDecimal(unitPriceMicroUsd)),
      per: perUnits,
    })),
    max_cost_usd: toUsd(amountMicroUsd),
  };
};
