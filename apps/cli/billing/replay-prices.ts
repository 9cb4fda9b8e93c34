import { ReplayPricesQuery } from '#areas/billing/rerating/replay-prices.handler.js';
import { inUsd, toDecimal } from '#platform/kernel/money.js';
import { usage } from '../command-failure.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withProgress } from '../progress.js';
import { withQuipu } from '../quipu.context.js';
import { cardOfFile, productsOf } from './price-card-option.js';
import { linesText, repricedJson } from './repriced-text.js';

export interface ReplayPricesOptions extends CommonOptions {
  readonly rateCard: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly from: string;
  readonly to: string;
}

export const replayPrices = async (
  { rateCard, from, to }: ReplayPricesOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  if (from >= to) throw usage('--to must be later than --from');
  const card = await cardOfFile('--rate-card', rateCard);
  const needs = { areas: ['billing'], installation: 'exists', projections: [] } as const;
  const { accounts, place } = await withQuipu(invocation, needs, async (quipu) => {
    const order = { card, products: productsOf(invocation), accountId: null };
    const replayed = await withProgress(invocation, 'Reading the charges', (onProgress) =>
      quipu.queries.execute(new ReplayPricesQuery({ ...order, onProgress }, from, to)),
    );
    return { ...replayed, place: await quipu.placeAt(replayed.position) };
  });
  const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((all, one) => all + one, 0n);
  const charged = sum(accounts.map((account) => account.charged));
  const repriced = sum(accounts.map((account) => account.repriced));
  const unpriced = accounts.reduce((all, account) => all + account.unpriced, 0);
  return {
    json: {
      from,
      to,
      position: place,
      unpriced_charges: unpriced,
      charged_micro_usd: toDecimal(charged),
      repriced_micro_usd: toDecimal(repriced),
      accounts: accounts.map(repricedJson),
    },
    text: [
      `From ${from} to ${to}: ${inUsd(charged)} were charged; ${inUsd(repriced)} at these prices.`,
      ...(unpriced > 0 ? [`${unpriced} charges have no price there and stay as they are.`] : []),
      ...accounts.flatMap((account) => [
        `  account ${account.accountId}: ${inUsd(account.charged)} -> ${inUsd(account.repriced)}`,
        ...linesText(account),
      ]),
    ].join('\n'),
  };
};
