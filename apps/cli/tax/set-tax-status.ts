import { SetTaxStatusCommand, TaxStatusQuery } from '#areas/tax/tax-status.handlers.js';
import { taxStatuses } from '#projections/tax/tax-status.projection.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { accountOf } from '../user-option.js';

export interface SetTaxStatusOptions extends CommonOptions {
  readonly user: string;
  readonly country: string;
  readonly region?: string;
  readonly exempt?: boolean;
  readonly business?: boolean;
  readonly treatyClaimed?: boolean;
}

const NEEDS = {
  areas: ['identity', 'billing', 'tax'],
  installation: 'exists',
  projections: [taxStatuses],
} as const;

export const setTaxStatus = async (
  { user, country, region, exempt, business, treatyClaimed }: SetTaxStatusOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const status = {
    country,
    region: region ?? null,
    taxExempt: exempt ?? false,
    business: business ?? false,
    treatyClaimed: treatyClaimed ?? false,
  };
  const { accountId, changed } = await withQuipu(invocation, NEEDS, async (quipu) => {
    const { commands, queries, context } = quipu;
    const accountId = await accountOf({ queries }, user);
    const command = new SetTaxStatusCommand({ accountId, ...status }, context());
    return { accountId, ...(await commands.execute(command)) };
  });
  return {
    json: { account_id: accountId, changed, ...jsonOf(status) },
    text: changed ? `${user} is taxed in ${country}.` : `${user} was taxed so before.`,
  };
};

export interface ShowTaxStatusOptions extends CommonOptions {
  readonly user: string;
}

export const showTaxStatus = async (
  { user }: ShowTaxStatusOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const { accountId, status } = await withQuipu(invocation, NEEDS, async ({ queries }) => {
    const accountId = await accountOf({ queries }, user);
    return { accountId, ...(await queries.execute(new TaxStatusQuery(accountId))) };
  });
  if (!status) {
    return {
      json: { account_id: accountId, country: null },
      text: `${user} has no tax status.`,
    };
  }
  const { country, region, taxExempt, business, treatyClaimed, setAt } = status;
  const notes = [
    ...(taxExempt ? ['exempt'] : []),
    ...(business ? ['a business'] : []),
    ...(treatyClaimed ? ['treaty benefits claimed'] : []),
  ];
  const place = region === null ? country : `${country}-${region}`;
  return {
    json: { account_id: accountId, ...jsonOf(status), set_at: setAt },
    text: `${[`${user} is taxed in ${place} since ${setAt}`, ...notes].join('; ')}.`,
  };
};

const jsonOf = (status: {
  readonly country: string;
  readonly region: string | null;
  readonly taxExempt: boolean;
  readonly business: boolean;
  readonly treatyClaimed: boolean;
}) => ({
  country: status.country,
  region: status.region,
  tax_exempt: status.taxExempt,
  business: status.business,
  treaty_claimed: status.treatyClaimed,
});
