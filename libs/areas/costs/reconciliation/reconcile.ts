import { PICO_USD_PER_MICRO_USD, type PicoUsd } from '#platform/kernel/pico-usd.js';
import { type MarginRow } from '../margin.handler.js';
import { type BilledItem } from './bill-format.js';

/** A model on a day: the bill of the provider, the recorded costs, the charges. */
export interface Reconciled {
  readonly day: string;
  /** The model id in the requests to rigs; the provider's own name where none was sent. */
  readonly model: string;
  /** Null: not in the file. */
  readonly billedPicoUsd: PicoUsd | null;
  readonly billedInputTokens: number | null;
  readonly billedOutputTokens: number | null;
  readonly attempts: number;
  /** Of these, attempts without a known cost. */
  readonly unknown: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Null: no cost is known. */
  readonly costPicoUsd: PicoUsd | null;
  readonly chargedPicoUsd: PicoUsd;
  /** Billed less recorded; null where one is unknown. */
  readonly differencePicoUsd: PicoUsd | null;
}

/** Joins a bill with the margins of its days by day and by the model that was sent. */
export const reconcile = (
  billed: readonly BilledItem[],
  recorded: readonly MarginRow[],
): readonly Reconciled[] => {
  const sent = [...new Set(recorded.flatMap(({ group }) => group.sent ?? []))];
  const nameOf = namesAmong(sent);
  const rows = new Map<string, Reconciled>();
  const rowOf = (day: string, model: string): Reconciled =>
    rows.get(`${day} ${model}`) ?? emptyRow(day, model);
  for (const row of recorded) {
    const { day, sent: model } = row.group;
    if (!day || !model) continue;
    rows.set(`${day} ${model}`, withRecorded(rowOf(day, model), row));
  }
  for (const item of billed) {
    const model = nameOf(item.model);
    rows.set(`${item.day} ${model}`, withBilled(rowOf(item.day, model), item));
  }
  return [...rows].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
};

const emptyRow = (day: string, model: string): Reconciled => ({
  day,
  model,
  billedPicoUsd: null,
  billedInputTokens: null,
  billedOutputTokens: null,
  attempts: 0,
  unknown: 0,
  inputTokens: 0,
  outputTokens: 0,
  costPicoUsd: null,
  chargedPicoUsd: 0n,
  differencePicoUsd: null,
});

const withRecorded = (row: Reconciled, recorded: MarginRow): Reconciled => ({
  ...row,
  attempts: recorded.attempts,
  unknown: recorded.attempts - recorded.stated - recorded.computed,
  inputTokens: recorded.inputTokens,
  outputTokens: recorded.outputTokens,
  costPicoUsd: recorded.costPicoUsd,
  chargedPicoUsd: recorded.chargedMicroUsd * PICO_USD_PER_MICRO_USD,
});

/** Several names of a provider may be one model that was sent: with a date, and of each meter. */
const withBilled = (row: Reconciled, item: BilledItem): Reconciled => {
  const billed = sumOf(row.billedPicoUsd, item.picoUsd, (one, other) => one + other);
  const add = (one: number, other: number): number => one + other;
  return {
    ...row,
    billedPicoUsd: billed,
    billedInputTokens: sumOf(row.billedInputTokens, item.inputTokens, add),
    billedOutputTokens: sumOf(row.billedOutputTokens, item.outputTokens, add),
    differencePicoUsd:
      billed === null || row.costPicoUsd === null ? null : billed - row.costPicoUsd,
  };
};

const sumOf = <Amount>(
  one: Amount | null,
  other: Amount | null,
  add: (one: Amount, other: Amount) => Amount,
): Amount | null => (one === null ? other : other === null ? one : add(one, other));

/** `Claude Haiku 4.5` and `claude-haiku-4-5` are one name. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[\s._/:@]+/g, '-');

/** Suffixes of model names at providers: dates, and the words of Azure's meters. */
const SUFFIXES = [
  String.raw`\d{4}-\d\d-\d\d|\d{8}|\d{4}|latest`,
  'inp|inpt|input|outp|output|out|opt|cached|cchd|cd|text|txt|aud|audio|img|image|tokens',
  'glbl|global|dzone|dz|data|regnl|regional|batch|1k|1m',
];
const SUFFIX = new RegExp(`^-(${SUFFIXES.join('|')})(-|$)`);

/**
 * The sent model that a provider's name means: the longest one of which the name is a dated version
 * or a meter. A name that means none stays as it is: nothing is guessed.
 */
const namesAmong = (sent: readonly string[]): ((name: string) => string) => {
  const known = sent
    .map((model) => ({ model, text: plain(model) }))
    .toSorted((one, other) => other.text.length - one.text.length);
  const isVersionOf = (text: string, base: string): boolean =>
    text === base || (text.startsWith(base) && SUFFIX.test(text.slice(base.length)));
  return (name) => {
    const text = plain(name);
    const found =
      known.find((one) => isVersionOf(text, one.text)) ??
      known.find((one) => isVersionOf(one.text, text));
    return found?.model ?? name;
  };
};
