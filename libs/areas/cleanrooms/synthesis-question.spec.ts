import { describe, expect, it } from '@jest/globals';
import { type Column } from '#events/cleanrooms/cleanroom.events.js';
import { answerTo, checkQuestion, questionOf } from './synthesis-question.js';

const COLUMNS: readonly Column[] = [
  { kind: 'category', name: 'clinic', values: ['north', 'south', 'old town'] },
  { kind: 'number', name: 'age', minimum: '0', maximum: '120', step: '1' },
];
const NAMES = COLUMNS.map(({ name }) => name);
const ROWS = [
  ['north', 30],
  ['north', 40],
  ['south', 50],
  ['old town', 61],
] as const;
const schema = { version: 1, columns: COLUMNS } as Parameters<typeof checkQuestion>[1];

const answered = (text: string): readonly string[] => {
  const question = questionOf(text);
  if (!question) throw new Error('the text asks for the table');
  checkQuestion(question, schema);
  return answerTo(question, NAMES, ROWS);
};

describe('a question to a synthetic table', () => {
  it.each([
    ['count', ['4 of 4 synthetic rows match.']],
    ['How many rows have clinic = north?', ['2 of 4 synthetic rows match.']],
    [
      'What is the mean of age where clinic is not south',
      ['3 of 4 synthetic rows match; the mean of age is 43.6667.'],
    ],
    [
      'sum of age where age is at least 50',
      ['2 of 4 synthetic rows match; the sum of age is 111.'],
    ],
    ['count where clinic is "old town" and age > 60', ['1 of 4 synthetic rows match.']],
    [
      'average age where age below 45 by clinic',
      ['clinic north: 2 of 4 synthetic rows match; the mean of age is 35.'],
    ],
    ['mean of age where age > 100', ['0 of 4 synthetic rows match, so there is no mean.']],
    ['count where age > 100 by clinic', ['No synthetic row matches.']],
  ])('%s', (text, sentences) => {
    expect(answered(text)).toEqual(sentences);
  });

  it('may ask for the table', () => {
    expect(questionOf('Table')).toBeNull();
  });

  it.each([
    ['', 'expected `table`'],
    ['Who is the oldest patient?', 'expected `table`'],
    ['count of', 'expected `table`'],
    ['count where age', 'expected `table`'],
    ['count where age > 3 or age < 2', 'expected `table`'],
    ['count by', 'expected `table`'],
    ['table of rows', 'expected `table`'],
    [`count where ${Array(17).fill('age > 1').join(' and ')}`, 'expected `table`'],
    ['mean of height', 'the room has no column height; it has clinic, age'],
    ['mean of clinic', 'clinic has no numbers'],
    ['count where clinic > north', 'clinic has no order'],
    ['count where clinic is west', 'clinic: expected one of north, south, old town, received west'],
    ['count where age > old', 'age: expected a number, received old'],
  ])('is rejected where the table has no answer: %s', (text, why) => {
    expect(() => answered(text)).toThrow(why);
  });
});
