import {
  RerateMonthCommand,
  type ReratedAccount,
} from '#areas/billing/rerating/rerate-month.handler.js';
import { inUsd, toDecimal } from '#platform/kernel/money.js';
import { rateCards } from '#projections/catalog/rate-cards.projection.js';
import { EXIT } from '../exit-code.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withProgress } from '../progress.js';
import { withQuipu } from '../quipu.context.js';
import { accountOf } from '../user-option.js';
import { namedPriceCard, productsOf } from './price-card-option.js';
import { linesText, repricedJson } from './repriced-text.js';

export interface RerateOptions extends CommonOptions {
  readonly card: string;
  readonly month: string;
  readonly user?: string;
  readonly reason?: string;
  readonly dryRun?: boolean;
}

export const rerate = async (
  { card, month, user, reason, dryRun: isDryRun = false }: RerateOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const needs = {
    areas: ['identity', 'billing', 'catalog'],
    installation: 'exists',
    projections: [rateCards],
  } as const;
  const { accounts, place } = await withQuipu(invocation, needs, async (quipu) => {
    const { commands, queries, context, placeAt } = quipu;
    const order = {
      card: await namedPriceCard('--card', card, queries),
      products: productsOf(invocation),
      month,
      accountId: user === undefined ? null : await accountOf({ queries }, user),
      reason: reason ?? `re-rated with the prices of ${card}`,
      isDryRun,
    };
    const rerated = await withProgress(invocation, 'Reading the charges', (onProgress) =>
      commands.execute(new RerateMonthCommand({ ...order, onProgress }, context())),
    );
    return { ...rerated, place: await placeAt(rerated.position) };
  });
  const changed = accounts.filter(({ difference }) => difference !== 0n);
  const rejected = changed.filter(({ rejection }) => rejection !== null);
  return {
    json: {
      ...(rejected.length > 0 && {
        success: false,
        code: 'rerating_incomplete',
        message: `${rejected.length} accounts could not be re-rated`,
      }),
      month,
      dry_run: isDryRun,
      position: place,
      accounts: accounts.map((account) => ({
        ...repricedJson(account),
        difference_micro_usd: toDecimal(account.difference),
        rejection: account.rejection,
        event_id: account.eventId,
      })),
    },
    text: [
      `${changed.length} of ${accounts.length} accounts differ in ${month}` +
        `${isDryRun ? '; nothing was written' : ''}.`,
      ...changed.flatMap((account) => [textOf(account), ...linesText(account)]),
    ].join('\n'),
    exitCode: rejected.length > 0 ? EXIT.failed : EXIT.done,
  };
};

const textOf = ({ accountId, charged, rerated, repriced, ...rest }: ReratedAccount): string => {
  const { difference, rejection, unpriced } = rest;
  const what = difference > 0n ? 'to give back' : 'to charge';
  const amount = inUsd(difference > 0n ? difference : -difference);
  const notes = [
    ...(unpriced > 0 ? [`${unpriced} charges are not priced by the card`] : []),
    ...(rejection === null ? [] : [`rejected: ${rejection}`]),
  ];
  const before = inUsd(charged - rerated);
  const note = notes.length > 0 ? `; ${notes.join('; ')}` : '';
  return `  account ${accountId}: ${before} -> ${inUsd(repriced)}, ${amount} ${what}${note}`;
};
