import { type AccountHistory, type Movement } from './account-history.js';
import { ProofError, demand } from '../proof/proof.error.js';
import {
  amountOf,
  demandOnly,
  type Fields,
  fieldsOf,
  listOf,
  textOf,
  textOrNull,
  wholeOf,
} from '../proof/json-fields.js';

/** A line of a statement, recomputed; the key is everything but its figures. */
interface Line {
  readonly key: string;
  readonly quantity: bigint;
  readonly amount: bigint;
  readonly charges: number;
}

const ROUNDING = 'rounding';
const PPM = 1_000_000n;

const keyOf = (parts: readonly (string | number | null)[]): string => JSON.stringify(parts);

const sumOf = (movements: readonly Movement[]): bigint =>
  movements.reduce((sum, { amount }) => sum + amount, 0n);

const ofKind = (movements: readonly Movement[], kind: Movement['kind']): readonly Movement[] =>
  movements.filter((one) => one.kind === kind);

/** Deposits less charges plus adjustments. */
const balanceOf = (movements: readonly Movement[]): bigint =>
  movements.reduce(
    (sum, { kind, amount }) => (kind === 'charge' ? sum - amount : sum + amount),
    0n,
  );

const groupOf = ({ day, data }: Movement): readonly (string | null)[] => [
  day,
  textOf(data, 'purpose'),
  textOrNull(data, 'model'),
  textOrNull(data, 'jobId'),
];

/** The lines of the charges of one day, purpose, model and job, with their rounding. */
const linesOfGroup = (charges: readonly Movement[], group: readonly (string | null)[]): Line[] => {
  const lines = new Map<
    string,
    { quantity: bigint; price: bigint; per: bigint; of: Set<Movement> }
  >();
  for (const charge of charges) {
    for (const { meter, quantity, unitPrice, perUnits } of charge.lines) {
      const card = wholeOf(charge.data, 'rateCardVersion');
      const key = keyOf([...group, meter, card, unitPrice.toString(), Number(perUnits)]);
      const line = lines.get(key) ?? {
        quantity: 0n,
        price: unitPrice,
        per: perUnits,
        of: new Set(),
      };
      line.quantity += quantity;
      line.of.add(charge);
      lines.set(key, line);
    }
  }
  const priced = [...lines].map(([key, { quantity, price, per, of }]) => ({
    key,
    quantity,
    amount: (quantity * price) / per,
    charges: of.size,
  }));
  const rounding = sumOf(charges) - priced.reduce((sum, { amount }) => sum + amount, 0n);
  if (rounding === 0n) return priced;
  const key = keyOf([...group, ROUNDING, null, '1', 1]);
  return [...priced, { key, quantity: rounding, amount: rounding, charges: charges.length }];
};

const recomputedLines = (charges: readonly Movement[]): readonly Line[] => {
  // `Map.groupBy` needs Node 21, and the verifier runs on 20.
  const groups = new Map<string, Movement[]>();
  for (const charge of charges) {
    const key = keyOf(groupOf(charge));
    const group = groups.get(key);
    if (group) group.push(charge);
    else groups.set(key, [charge]);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first ? linesOfGroup(group, groupOf(first)) : [];
  });
};

const LINE_FIELDS = [
  ...['day', 'purpose', 'model', 'job', 'meter', 'rateCardVersion', 'unitPriceMicroUsd'],
  ...['perUnits', 'quantity', 'amountMicroUsd', 'charges'],
];

const statedLine = (line: unknown): Line => {
  const fields = fieldsOf(line, 'a line of the statement');
  demandOnly(fields, LINE_FIELDS, 'a line of the statement');
  const key = keyOf([
    textOf(fields, 'day'),
    textOf(fields, 'purpose'),
    textOrNull(fields, 'model'),
    textOrNull(fields, 'job'),
    textOf(fields, 'meter'),
    fields['rateCardVersion'] === null ? null : wholeOf(fields, 'rateCardVersion'),
    textOf(fields, 'unitPriceMicroUsd'),
    wholeOf(fields, 'perUnits'),
  ]);
  return {
    key,
    quantity: amountOf(fields, 'quantity'),
    amount: amountOf(fields, 'amountMicroUsd'),
    charges: wholeOf(fields, 'charges'),
  };
};

const demandSameLines = (stated: readonly Line[], recomputed: readonly Line[]): void => {
  const byKey = new Map(recomputed.map((line) => [line.key, line]));
  for (const { key, quantity, amount, charges } of stated) {
    const own = byKey.get(key);
    const what = `the line ${key}`;
    demand(own !== undefined, `${what} follows from no event`);
    byKey.delete(key);
    const same = quantity === own.quantity && charges === own.charges;
    demand(same, `${what} states other units or charges than the events`);
    demand(amount === own.amount, `${what} states ${amount}, and the events come to ${own.amount}`);
  }
  const [missing] = byKey.keys();
  demand(missing === undefined, `the statement lacks the line ${missing ?? ''}`);
};

const demandAmounts = (fields: Fields, expected: Readonly<Record<string, bigint>>): void => {
  for (const [name, amount] of Object.entries(expected)) {
    const stated = amountOf(fields, name);
    demand(stated === amount, `${name} is stated as ${stated}, and the events come to ${amount}`);
  }
};

/** Deposits and adjustments, by the fields that the statement has of them. */
const demandSameEntries = (
  stated: readonly unknown[],
  movements: readonly Movement[],
  what: string,
  fieldsByName: Readonly<Record<string, string>>,
): void => {
  demand(stated.length === movements.length, `the statement lacks a ${what}, or has one too many`);
  const own = (data: Fields): string =>
    JSON.stringify(Object.values(fieldsByName).map((name) => data[name]));
  const events = new Set(movements.map(({ data }) => own(data)));
  for (const one of stated) {
    const fields = fieldsOf(one, `a ${what}`);
    demandOnly(fields, Object.keys(fieldsByName), `a ${what}`);
    const shown = JSON.stringify(Object.keys(fieldsByName).map((name) => fields[name]));
    demand(events.delete(shown), `a ${what} of the statement follows from no event: ${shown}`);
  }
};

const DEPOSIT_FIELDS = {
  depositId: 'depositId',
  number: 'depositNumber',
  method: 'method',
  amountMicroUsd: 'amountMicroUsd',
  depositedAt: 'depositedAt',
};

const ADJUSTMENT_FIELDS = {
  adjustmentId: 'adjustmentId',
  number: 'adjustmentNumber',
  kind: 'kind',
  amountMicroUsd: 'amountMicroUsd',
  refersTo: 'refersTo',
  reason: 'reason',
  adjustedAt: 'adjustedAt',
};

/** The tax in an amount that includes it, rounded half away from zero. */
const taxIn = (gross: bigint, ratePpm: bigint): bigint => {
  const magnitude = gross < 0n ? -gross : gross;
  const divisor = PPM + ratePpm;
  const tax = (2n * magnitude * ratePpm + divisor) / (2n * divisor);
  return gross < 0n ? -tax : tax;
};

/** The closing of a month decides this field, and an open statement has none. */
const demandAsClosed = (statement: Fields, closed: Fields | undefined, field: string): unknown => {
  const stated = statement[field] ?? null;
  const decided = closed?.[field] ?? null;
  demand(
    JSON.stringify(stated) === JSON.stringify(decided),
    `the ${field} of the statement is not the one that was decided when the month was closed`,
  );
  return stated;
};

const demandTax = (statement: Fields, closed: Fields | undefined, gross: bigint): void => {
  const stated = demandAsClosed(statement, closed, 'tax');
  if (stated === null) return;
  const tax = fieldsOf(stated, 'the tax');
  demandAmounts(tax, {
    grossMicroUsd: gross,
    taxMicroUsd: taxIn(gross, BigInt(wholeOf(tax, 'ratePpm'))),
  });
};

/** Demands that the state of the statement agrees with the events of the month. */
const demandClosing = (statement: Fields, closed: Fields | undefined): void => {
  const status = textOf(statement, 'status');
  if (status !== 'closed') {
    demand(closed === undefined, `the statement is ${status}, and the month was closed`);
    demand(textOrNull(statement, 'closedAt') === null, 'an open statement has an end');
    return;
  }
  if (!closed) throw new ProofError('the statement is closed, and no event says so');
  demand(textOf(statement, 'closedAt') === textOf(closed, 'closedAt'), 'closedAt is another');
};

const STATEMENT_FIELDS = [
  ...['accountId', 'month', 'currency', 'status', 'openingMicroUsd', 'closingMicroUsd', 'lines'],
  ...['deposits', 'adjustments', 'tax', 'parties', 'totals', 'closedAt'],
];

/**
 * Recomputes the statement from the history of its account and compares every figure.
 * @throws ProofError naming the figure that differs
 */
export const demandRecomputed = (statement: Fields, history: AccountHistory): void => {
  demandOnly(statement, STATEMENT_FIELDS, 'the statement');
  const month = textOf(statement, 'month');
  const movements = history.movements.filter((one) => one.month === month);
  const opening = balanceOf(history.movements.filter((one) => one.month < month));
  const charges = ofKind(movements, 'charge');
  const [deposits, adjustments] = [ofKind(movements, 'deposit'), ofKind(movements, 'adjustment')];
  demandSameLines(listOf(statement, 'lines').map(statedLine), recomputedLines(charges));
  demandSameEntries(listOf(statement, 'deposits'), deposits, 'deposit', DEPOSIT_FIELDS);
  demandSameEntries(listOf(statement, 'adjustments'), adjustments, 'adjustment', ADJUSTMENT_FIELDS);
  const ends = {
    openingMicroUsd: opening,
    closingMicroUsd: opening + balanceOf(movements),
  };
  const sums = {
    depositedMicroUsd: sumOf(deposits),
    chargedMicroUsd: sumOf(charges),
    adjustedMicroUsd: sumOf(adjustments),
  };
  demandAmounts(statement, ends);
  const totals = fieldsOf(statement['totals'], 'the totals');
  demandOnly(totals, [...Object.keys(sums), 'charges'], 'the totals');
  demandAmounts(totals, sums);
  demand(wholeOf(totals, 'charges') === charges.length, 'the number of charges is another');
  demand(textOf(statement, 'currency') === 'USD', 'the currency is not USD');
  const closed = history.closed.get(month);
  demandClosing(statement, closed);
  if (closed) demandAmounts(closed, { ...ends, ...sums });
  demandTax(statement, closed, sums.chargedMicroUsd - sums.adjustedMicroUsd);
  demandAsClosed(statement, closed, 'parties');
};
