import { reject } from '../orbit.errors.js';
import { type TwoLines } from '../orbits.engine.js';

export interface NamedTwoLines {
  readonly satelliteId: number;
  /** Null where no line with a name comes before. */
  readonly name: string | null;
  readonly elements: TwoLines;
}

const LENGTH = 69;
const NAME_LENGTH_MAX = 100;

/**
 * Sets of two lines, each with or without a line that names the satellite.
 * @throws DomainError `elements_invalid`
 */
export const readTwoLines = (lines: readonly string[]): readonly NamedTwoLines[] => {
  const sets: NamedTwoLines[] = [];
  let name: string | null = null;
  for (let n = 0; n < lines.length; n += 1) {
    const line = lines[n]?.trimEnd() ?? '';
    if (!line.startsWith('1 ')) {
      if (line.startsWith('2 ')) fault(n, 'a line 1 before line 2');
      name = line.replace(/^0 /, '').trim().slice(0, NAME_LENGTH_MAX);
      continue;
    }
    const [line1, line2] = [line, lines[n + 1]?.trimEnd() ?? ''];
    check(n, line1, '1');
    check(n + 1, line2, '2');
    const id = line1.slice(2, 7);
    if (line2.slice(2, 7) !== id) fault(n + 1, `the satellite number ${id} of line 1`);
    const elements = { format: 'tle', line1, line2 } as const;
    sets.push({ satelliteId: catalogNumber(id, n), name, elements });
    name = null;
    n += 1;
  }
  return sets;
};

/** Columns of the format: numbers at their places, so that no other text is read as elements. */
const columns = (...parts: readonly string[]): RegExp => new RegExp(`^${parts.join(' ')}$`);

const ID = String.raw`[ \dA-HJ-NP-Z][ \d]{4}`;
const EPOCH = String.raw`\d\d[ \d]{3}\.\d{8}`;
const SLOPE = String.raw`[ +-]\.\d{8}`;
const SMALL = String.raw`[ +-][ \d]{5}[+-]\d`;
const ANGLE = String.raw`[ \d]{3}\.\d{4}`;
const LINES = {
  1: columns('1', `${ID}[UCS ]`, '.{8}', EPOCH, SLOPE, SMALL, SMALL, '[ 0-9]', '[ 0-9]{4}[0-9]'),
  2: columns(
    '2',
    ID,
    ANGLE,
    ANGLE,
    '[ 0-9]{7}',
    ANGLE,
    ANGLE,
    String.raw`[ \d]\d\.\d{8}[ \d]{5}\d`,
  ),
} as const;

const check = (n: number, line: string, number: '1' | '2'): void => {
  if (line.length !== LENGTH) fault(n, `${LENGTH} characters of line ${number}`);
  if (!LINES[number].test(line)) fault(n, `the columns of line ${number}`);
  if (checksum(line) !== Number(line[LENGTH - 1])) fault(n, 'a line whose checksum is right');
};

/** The sum of the digits, in which a minus counts as 1, modulo 10. */
const checksum = (line: string): number => {
  let sum = 0;
  for (const character of line.slice(0, LENGTH - 1)) {
    if (character === '-') sum += 1;
    else if (character >= '0' && character <= '9') sum += Number(character);
  }
  return sum % 10;
};

/** The letters of the scheme Alpha-5: A0000 is 100000. I and O are left out. */
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ';

const catalogNumber = (text: string, n: number): number => {
  const letter = LETTERS.indexOf(text[0] ?? '');
  const number = letter < 0 ? Number(text) : (letter + 10) * 10_000 + Number(text.slice(1));
  return number > 0 ? number : fault(n, 'a satellite number above 0');
};

const fault = (n: number, expected: string): never =>
  reject('elements_invalid', `data: expected ${expected}, received another text in line ${n + 1}`);
