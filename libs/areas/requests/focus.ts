import { monthAfter, monthOf, startOfMonth } from '#events/billing/statement-month.js';
import { type ProductGroup } from '#events/hold.vocabulary.js';
import { csvOf } from '#platform/kernel/csv.js';
import { dayAfter } from '#platform/kernel/report.js';
import { usdOf } from './request-fields.js';
import { type SpendGroup } from './spend-groups.js';
import { type SpendReport, type SpendRow } from './spend.handler.js';

/** Spend in the columns of FOCUS, the FinOps Open Cost and Usage Specification. */
export const FOCUS_VERSION = '1.2';

/** The groups of its rows: all but teams and single tags, for days in UTC. */
export const FOCUS_GROUPS = [
  'day',
  'product',
  'class',
  'model',
  'rig',
  'key',
  'user',
  'tags',
] as const satisfies readonly SpendGroup[];

export interface SoldProduct {
  readonly title: string;
  readonly group: ProductGroup;
}

export interface FocusFacts {
  readonly accountId: string;
  /** Who sells. */
  readonly issuer: string;
  /** By purpose. */
  readonly products: ReadonlyMap<string, SoldProduct>;
}

const CATEGORIES: Readonly<Record<ProductGroup, string>> = {
  inference: 'AI and Machine Learning',
  compute: 'Compute',
};

const startOfDay = (day: string): string => `${day}T00:00:00Z`;

const tagsJson = (tags: string): string => {
  const pairs = tags.split(',').map((tag): [string, string] => {
    const at = tag.indexOf('=');
    return [tag.slice(0, at), tag.slice(at + 1)];
  });
  return JSON.stringify(Object.fromEntries(pairs));
};

/** A correction of a month that was invoiced before is one by FOCUS; of its own month it is not. */
const classOf = ({ corrects }: SpendRow, month: string): string =>
  corrects !== null && corrects < month ? 'Correction' : '';

const focusRow = (row: SpendRow, { accountId, issuer, products }: FocusFacts) => {
  const { group, kind, quantity, amount } = row;
  const { day = '', product = null, class: meter, model, rig, key, user, tags } = group;
  const sold = product === null ? undefined : products.get(product);
  const date = day ?? '';
  const month = monthOf(date);
  const cost = usdOf(amount);
  const units = quantity?.toString() ?? '';
  const unit = quantity === null ? '' : (meter ?? '');
  const title = kind === 'usage' ? (sold?.title ?? product ?? '') : kind.replace('_', ' ');
  const sku = [product, model, meter].filter((part) => part != null).join('/');
  return {
    BilledCost: cost,
    BillingAccountId: accountId,
    BillingAccountName: accountId,
    BillingCurrency: 'USD',
    BillingPeriodEnd: startOfMonth(monthAfter(month)).replace('.000Z', 'Z'),
    BillingPeriodStart: startOfMonth(month).replace('.000Z', 'Z'),
    ChargeCategory: kind === 'usage' ? 'Usage' : 'Adjustment',
    ChargeClass: classOf(row, month),
    ChargeDescription: [title, model, meter].filter((part) => part != null).join(' '),
    ChargeFrequency: kind === 'usage' ? 'Usage-Based' : 'One-Time',
    ChargePeriodEnd: startOfDay(dayAfter(date)),
    ChargePeriodStart: startOfDay(date),
    ConsumedQuantity: units,
    ConsumedUnit: unit,
    ContractedCost: cost,
    EffectiveCost: cost,
    InvoiceIssuerName: issuer,
    ListCost: cost,
    PricingQuantity: units,
    PricingUnit: unit,
    ProviderName: issuer,
    PublisherName: issuer,
    ServiceCategory: sold ? CATEGORIES[sold.group] : 'Other',
    ServiceName: title,
    SkuId: kind === 'usage' ? sku : '',
    SkuMeter: meter ?? '',
    Tags: tags == null ? '' : tagsJson(tags),
    x_EndUser: user ?? '',
    x_Key: key ?? '',
    x_Model: model ?? '',
    x_Rig: rig ?? '',
  };
};

export const FOCUS_COLUMNS = Object.keys(
  focusRow(
    { group: { day: '2026-01-01' }, kind: 'usage', corrects: null, quantity: null, amount: 0n },
    { accountId: '', issuer: '', products: new Map() },
  ),
);

export const focusCsv = ({ rows }: SpendReport, facts: FocusFacts): string =>
  csvOf([FOCUS_COLUMNS, ...rows.map((row) => Object.values(focusRow(row, facts)))]);
