import { csvOf } from '#platform/kernel/csv.js';
import { PICO_USD_PER_MICRO_USD, type PicoUsd, picoInUsd } from '#platform/kernel/pico-usd.js';
import { MARGIN_GROUPS, type MarginGroup } from './margin-groups.js';
import { type MarginReport, type MarginRow } from './margin.handler.js';

/** Names joined by commas, in the order of a report. */
export const groupsOf = (names: string): readonly MarginGroup[] => {
  const asked = new Set(names.split(','));
  return MARGIN_GROUPS.filter((name) => asked.has(name));
};

/** A row of a report, as JSON. */
export const marginFields = ({ group, costPicoUsd, marginPicoUsd, ...sum }: MarginRow) => ({
  day: group.day ?? null,
  account: group.account ?? null,
  rig: group.rig ?? null,
  model: group.model ?? null,
  sent: group.sent ?? null,
  charges: sum.charges,
  charged_usd: picoInUsd(sum.chargedMicroUsd * PICO_USD_PER_MICRO_USD),
  attempts: sum.attempts,
  stated_costs: sum.stated,
  computed_costs: sum.computed,
  input_tokens: sum.inputTokens,
  output_tokens: sum.outputTokens,
  cost_usd: usdOrNull(costPicoUsd),
  margin_usd: usdOrNull(marginPicoUsd),
});

export const usdOrNull = (amount: PicoUsd | null): string | null =>
  amount === null ? null : picoInUsd(amount);

/** A report as rows of text, the first one with names; an unknown figure is empty. */
export const marginTable = (
  { rows }: MarginReport,
  by: readonly MarginGroup[],
): readonly (readonly string[])[] => [
  [...by, ...FIGURES],
  ...rows.map((row) => {
    const fields = marginFields(row);
    return [...by, ...FIGURES].map((name) => String(fields[name] ?? ''));
  }),
];

const FIGURES = [
  'charges',
  'charged_usd',
  'attempts',
  'stated_costs',
  'computed_costs',
  'input_tokens',
  'output_tokens',
  'cost_usd',
  'margin_usd',
] as const;

export const marginCsv = (report: MarginReport, by: readonly MarginGroup[]): string =>
  csvOf(marginTable(report, by));
