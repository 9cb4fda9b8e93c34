import { type PriceReplay } from '#areas/billing/rerating/replay-prices.handler.js';
import { type PriceDifference } from '#areas/billing/rerating/repricing.js';
import { usdOf } from '#areas/requests/request-fields.js';
import { fromDecimal } from '#platform/kernel/money.js';
import { PICO_USD_PER_MICRO_USD, picoInUsd, type PicoUsd } from '#platform/kernel/pico-usd.js';
import { type UnitPrice } from '#platform/ledger/price.js';
import { type WhatIfDto, type WhatIfQueryDto } from './what-if.dto.js';

/** Rounded down to a pico-dollar. */
const amountOf = (quantity: bigint, { unitPriceMicroUsd, perUnits }: UnitPrice): PicoUsd =>
  (quantity * fromDecimal(unitPriceMicroUsd) * PICO_USD_PER_MICRO_USD) / BigInt(perUnits);

const presentLine = ({ purpose, model, meter, quantity, from, to }: PriceDifference) => ({
  purpose,
  model,
  meter,
  quantity: quantity.toString(),
  from_usd: usdOf(fromDecimal(from.unitPriceMicroUsd)),
  from_per: from.perUnits,
  to_usd: usdOf(fromDecimal(to.unitPriceMicroUsd)),
  to_per: to.perUnits,
  difference_usd: picoInUsd(amountOf(quantity, to) - amountOf(quantity, from)),
});

export const presentWhatIf = (
  { from, to, rig }: WhatIfQueryDto,
  version: number,
  { accounts, position }: PriceReplay,
): WhatIfDto => {
  const [account] = accounts;
  const { charges = 0, unpriced = 0, charged = 0n, repriced = 0n, lines = [] } = account ?? {};
  return {
    success: true,
    from,
    to,
    rate_card: version,
    rig: rig ?? null,
    charges,
    unpriced_charges: unpriced,
    charged_usd: usdOf(charged),
    repriced_usd: usdOf(repriced),
    difference_usd: usdOf(repriced - charged),
    lines: lines.map(presentLine),
    position: position.toString(),
  };
};
