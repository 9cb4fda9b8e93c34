import { type RepricedAccount } from '#areas/billing/rerating/repricing.js';
import { inUsd, toDecimal } from '#platform/kernel/money.js';
import { inColumns } from '../table.js';

/** An account at other prices, as JSON. */
export const repricedJson = (account: RepricedAccount) => ({
  account_id: account.accountId,
  charges: account.charges,
  unpriced_charges: account.unpriced,
  charged_micro_usd: toDecimal(account.charged),
  rerated_micro_usd: toDecimal(account.rerated),
  repriced_micro_usd: toDecimal(account.repriced),
  lines: account.lines.map(({ purpose, model, meter, quantity, from, to }) => ({
    purpose,
    model,
    meter,
    quantity: quantity.toString(),
    from: { unit_price_micro_usd: from.unitPriceMicroUsd, per_units: from.perUnits },
    to: { unit_price_micro_usd: to.unitPriceMicroUsd, per_units: to.perUnits },
  })),
});

/** A row for each price that differs. */
export const linesText = ({ lines }: RepricedAccount): readonly string[] =>
  lines.length === 0
    ? []
    : [
        inColumns(
          lines.map(({ purpose, model, meter, quantity, from, to }) => [
            `    ${purpose}`,
            model ?? '-',
            meter,
            `${quantity} units`,
            `${inUsd(BigInt(from.unitPriceMicroUsd))} -> ${inUsd(BigInt(to.unitPriceMicroUsd))}`,
            from.perUnits === to.perUnits
              ? `for ${to.perUnits}`
              : `for ${from.perUnits} -> ${to.perUnits}`,
          ]),
        ),
      ];
