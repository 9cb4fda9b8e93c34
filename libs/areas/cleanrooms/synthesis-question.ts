import { rejectedField } from '#platform/runtime/commands/rejected-request.js';
import { type RoomSchema } from '#projections/cleanrooms/cleanrooms.projection.js';

type Value = string | number;
type Comparison = '=' | '!=' | '<' | '<=' | '>' | '>=';

export interface QuestionCondition {
  readonly column: string;
  readonly comparison: Comparison;
  readonly value: string;
}

/** A question to a synthetic table. */
export interface SynthesisQuestion {
  readonly measure: 'count' | 'mean' | 'sum';
  /** Null for a count. */
  readonly column: string | null;
  readonly where: readonly QuestionCondition[];
  readonly by: string | null;
}

export const GRAMMAR =
  'expected `table`; or `count`, `mean of COLUMN` or `sum of COLUMN`, then ' +
  '`where COLUMN is VALUE and …` and `by COLUMN`, such as ' +
  '"mean of age where clinic is north by year"; comparisons are `is`, `is not`, `=`, `!=`, `<`, ' +
  '`<=`, `>`, `>=`, `above`, `below`, `at least`, `at most`';

const CONDITIONS_MAX = 16;
/** Values that an error names. */
const SHOWN_MAX = 10;
const TOKEN = /"([^"]*)"|(?:[<>!]=?|=)|[^\s"<>=!]+/g;
const MEASURES: ReadonlyMap<string, SynthesisQuestion['measure']> = new Map([
  ['mean', 'mean'],
  ['average', 'mean'],
  ['sum', 'sum'],
  ['total', 'sum'],
]);
const COMPARISONS: readonly (readonly [readonly string[], Comparison])[] = [
  [['is', 'not'], '!='],
  [['is', 'above'], '>'],
  [['is', 'below'], '<'],
  [['is', 'at', 'least'], '>='],
  [['is', 'at', 'most'], '<='],
  [['above'], '>'],
  [['below'], '<'],
  [['at', 'least'], '>='],
  [['at', 'most'], '<='],
  [['is'], '='],
  ...(['=', '!=', '<=', '>=', '<', '>'] as const).map((one) => [[one], one] as const),
];

/** Reads words from the left. */
class Words {
  readonly #words: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#words = [...text.replace(/[?.]\s*$/, '').matchAll(TOKEN)].map(
      ([word, quoted]) => quoted ?? word,
    );
  }

  get isEnd(): boolean {
    return this.#at === this.#words.length;
  }

  /** Whether these words come next, in any case; they are then read. */
  takes(...expected: readonly string[]): boolean {
    const isNext = expected.every((word, n) => this.#words[this.#at + n]?.toLowerCase() === word);
    if (isNext) this.#at += expected.length;
    return isNext;
  }

  next(): string {
    const word = this.#words[this.#at];
    if (word === undefined) return rejectQuestion();
    this.#at += 1;
    return word;
  }
}

const rejectQuestion = (why = GRAMMAR): never => {
  throw rejectedField('messages', why);
};

/**
 * Null: the text asks for the table.
 * @throws RejectedRequestError 400 with the grammar: no other text has an answer in the table
 */
export const questionOf = (text: string): SynthesisQuestion | null => {
  const words = new Words(text);
  if (words.takes('table') && words.isEnd) return null;
  const isCount = words.takes('count') || words.takes('how', 'many', 'rows');
  const [measure, column] = isCount ? (['count', null] as const) : measureOf(words);
  const where = words.takes('where') || words.takes('have') ? conditionsOf(words) : [];
  const by = words.takes('by') ? words.next() : null;
  return words.isEnd ? { measure, column, where, by } : rejectQuestion();
};

const measureOf = (words: Words): readonly ['mean' | 'sum', string] => {
  if (words.takes('what', 'is')) words.takes('the');
  const measure = MEASURES.get(words.next().toLowerCase());
  if (measure === undefined || measure === 'count') return rejectQuestion();
  words.takes('of');
  return [measure, words.next()];
};

const conditionsOf = (words: Words): readonly QuestionCondition[] => {
  const found: QuestionCondition[] = [];
  do {
    const column = words.next();
    const known = COMPARISONS.find(([spelled]) => words.takes(...spelled));
    if (!known || found.length === CONDITIONS_MAX) return rejectQuestion();
    found.push({ column, comparison: known[1], value: words.next() });
  } while (words.takes('and'));
  return found;
};

/**
 * Before anything is held or spent.
 * @throws RejectedRequestError 400 that names the column
 */
export const checkQuestion = (
  { column, where, by }: SynthesisQuestion,
  { columns }: RoomSchema,
): void => {
  const find = (name: string) =>
    columns.find((one) => one.name === name) ??
    rejectQuestion(
      `the room has no column ${name}; it has ${columns.map((one) => one.name).join(', ')}`,
    );
  if (column !== null && find(column).kind !== 'number') {
    rejectQuestion(`${column} has no numbers; expected a number column, or a count`);
  }
  if (by !== null) find(by);
  for (const { column: name, comparison, value } of where) {
    const known = find(name);
    if (known.kind === 'number' && !Number.isFinite(Number(value))) {
      rejectQuestion(`${name}: expected a number, received ${value}`);
    }
    if (known.kind === 'number') continue;
    if (comparison !== '=' && comparison !== '!=') {
      rejectQuestion(`${name} has no order; expected is, or is not`);
    }
    if (known.values.includes(value)) continue;
    const some = known.values.slice(0, SHOWN_MAX).join(', ');
    rejectQuestion(`${name}: expected one of ${some}, received ${value}`);
  }
};

const holds = (comparison: Comparison, cell: Value, text: string): boolean => {
  const value = typeof cell === 'number' ? Number(text) : text;
  switch (comparison) {
    case '=':
      return cell === value;
    case '!=':
      return cell !== value;
    case '<':
      return cell < value;
    case '<=':
      return cell <= value;
    case '>':
      return cell > value;
    case '>=':
      return cell >= value;
  }
};

/** The answer of a synthetic table, in sentences: one for each value of `by` that it has. */
export const answerTo = (
  { measure, column, where, by }: SynthesisQuestion,
  columns: readonly string[],
  rows: readonly (readonly Value[])[],
): readonly string[] => {
  const cellOf = (row: readonly Value[], name: string): Value => row[columns.indexOf(name)] ?? '';
  const matching = rows.filter((row) =>
    where.every((one) => holds(one.comparison, cellOf(row, one.column), one.value)),
  );
  const groups =
    by === null
      ? new Map([['', matching]])
      : Map.groupBy(matching, (row) => `${by} ${cellOf(row, by)}: `);
  const total = (some: typeof rows): number =>
    some.reduce((sum, row) => sum + Number(column === null ? 1 : cellOf(row, column)), 0);
  const sentences = [...groups].map(([group, some]) => {
    const share = `${some.length} of ${rows.length} synthetic rows match`;
    if (measure === 'count') return `${group}${share}.`;
    if (some.length === 0) return `${group}${share}, so there is no ${measure}.`;
    const sum = total(some);
    const value = measure === 'sum' ? sum : sum / some.length;
    return `${group}${share}; the ${measure} of ${column} is ${Number(value.toPrecision(6))}.`;
  });
  return sentences.length === 0 ? ['No synthetic row matches.'] : sentences.sort();
};
