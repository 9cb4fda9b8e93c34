import { readFile } from 'node:fs/promises';
import { CatalogError } from '#areas/catalog/catalog.error.js';
import { parseCatalog } from '#areas/catalog/catalog.parser.js';
import { PriceListError, readPriceList } from '#areas/catalog/proposals/price-list.js';
import { type ProposedModel } from '#areas/catalog/proposals/price-proposal.js';
import {
  type CatalogProposal,
  ProposePricesQuery,
  PublishProposalCommand,
} from '#areas/catalog/proposals/propose-prices.handler.js';
import { ReplayPricesQuery } from '#areas/billing/rerating/replay-prices.handler.js';
import { type RepricedAccount } from '#areas/billing/rerating/repricing.js';
import { inUsd, toDecimal } from '#platform/kernel/money.js';
import { cardOfCatalog, productsOf } from '../billing/price-card-option.js';
import { CommandFailure } from '../command-failure.js';
import { confirm } from '../confirmation.js';
import { EXIT } from '../exit-code.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withProgress } from '../progress.js';
import { type Quipu, withQuipu } from '../quipu.context.js';
import { textOn } from '../table.js';

export interface ProposePricesOptions extends CommonOptions {
  readonly from: string;
  readonly provider?: string;
  /** By catalog id. */
  readonly name?: ReadonlyMap<string, string>;
  readonly yes?: boolean;
}

const NEEDS = {
  areas: ['catalog', 'billing'],
  installation: 'exists',
  projections: [],
} as const;

export const proposePriceCard = async (
  order: ProposePricesOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const { from, provider, name: names, yes = false } = order;
  const list = await listOf(from);
  const options = { ...(provider !== undefined && { provider }), ...(names && { names }) };
  return withQuipu(invocation, NEEDS, async (quipu) => {
    const proposal = await quipu.queries
      .execute(new ProposePricesQuery(list, options))
      .catch((cause: unknown) => {
        if (!(cause instanceof CatalogError)) throw cause;
        throw new CommandFailure('bad_catalog', cause.message, EXIT.usage, { cause });
      });
    const effect = await effectOf(proposal, quipu, invocation);
    const text = textOf(proposal, effect);
    if (proposal.isChanged) {
      if (!yes) invocation.stderr.write(`${textOn(invocation.stderr, text)}\n`);
      await confirm(CONFIRMATION, order, invocation);
    }
    if (proposal.isChanged) await quipu.commands.execute(new PublishProposalCommand(proposal));
    return {
      json: { ...jsonOf(proposal, effect), published: proposal.isChanged },
      text: proposal.isChanged ? `${text}\nThe rate card is published.` : text,
    };
  });
};

const CONFIRMATION = {
  word: 'publish',
  consequence: 'These prices become the next rate card, and the catalog file is rewritten.',
  otherwise: 'nothing was published',
};

/** @throws CommandFailure `bad_price_list` */
const listOf = async (file: string) => {
  try {
    return readPriceList(await readFile(file));
  } catch (cause) {
    const isKnown = cause instanceof PriceListError || (Error.isError(cause) && 'code' in cause);
    if (!isKnown) throw cause;
    const { message } = cause;
    const text = cause instanceof PriceListError ? `${file} ${message}` : message;
    throw new CommandFailure('bad_price_list', `--from: ${text}`, EXIT.usage, { cause });
  }
};

/** The bills of the last whole month in UTC, at the proposed prices. */
interface Effect {
  /** `YYYY-MM`. */
  readonly month: string;
  readonly accounts: readonly RepricedAccount[];
}

const effectOf = async (
  { source, file }: CatalogProposal,
  { queries, clock }: Quipu,
  invocation: Invocation,
): Promise<Effect> => {
  const now = new Date(clock.now());
  const monthAt = (offset: number): string =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset)).toISOString();
  const order = {
    card: cardOfCatalog(parseCatalog(source, file), source),
    products: productsOf(invocation),
    accountId: null,
  };
  const [start, end] = [monthAt(-1), monthAt(0)];
  const { accounts } = await withProgress(invocation, 'Reading the charges', (onProgress) =>
    queries.execute(new ReplayPricesQuery({ ...order, onProgress }, start, end)),
  );
  return { month: start.slice(0, 'YYYY-MM'.length), accounts };
};

const sumOf = ({ accounts }: Effect, amount: (account: RepricedAccount) => bigint): bigint =>
  accounts.reduce((sum, account) => sum + amount(account), 0n);

const jsonOf = ({ list, file, models }: CatalogProposal, effect: Effect) => ({
  format: list.format,
  sha256: list.sha256,
  catalog: file,
  models,
  last_month: {
    month: effect.month,
    charged_micro_usd: toDecimal(sumOf(effect, ({ charged }) => charged)),
    repriced_micro_usd: toDecimal(sumOf(effect, ({ repriced }) => repriced)),
    accounts: effect.accounts.map(({ accountId, charged, repriced }) => ({
      account_id: accountId,
      charged_micro_usd: toDecimal(charged),
      repriced_micro_usd: toDecimal(repriced),
    })),
  },
});

const textOf = ({ list, models }: CatalogProposal, effect: Effect): string => {
  const changed = models.filter(({ changes }) => changes.length > 0);
  const charged = sumOf(effect, (account) => account.charged);
  const repriced = sumOf(effect, (account) => account.repriced);
  return [
    `${list.format}, SHA-256 ${list.sha256}: ${changed.length} of ${models.length} models change.`,
    ...models.flatMap(linesOf),
    `The charges of ${effect.month}: ${inUsd(charged)} -> ${inUsd(repriced)}.`,
  ].join('\n');
};

const linesOf = ({ model, listed, changes, notes, problem }: ProposedModel): readonly string[] => {
  if (problem !== null) return [`  ${model} stays: ${problem}`];
  const verdict = changes.length === 0 ? 'has the prices of' : 'takes over';
  return [
    `  ${model} ${verdict} ${listed ?? ''}`,
    ...changes.map(({ field, from, to }) => `    ${field}: ${from ?? 'none'} -> ${to}`),
    ...notes.map((note) => `    (${note})`),
  ];
};
