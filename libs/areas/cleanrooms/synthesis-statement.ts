import { csvOf } from '#platform/kernel/csv.js';
import { type AnsweredQuestion } from './ask-room.handler.js';
import { answerTo, type SynthesisQuestion } from './synthesis-question.js';

/** The text of a chat: an answer, or the table as CSV, with the cost and quality of the table. */
export const statementOf = (
  { answer, spent, isNew, budget }: AnsweredQuestion,
  question: SynthesisQuestion | null,
): string => {
  if (answer.kind !== 'table') throw new Error('a synthesis without a table');
  const { columns, rows, pairs, columnError, pairError } = answer;
  const kept = pairs.map((pair) => pair.join(' with ')).join(', ') || 'none';
  const cost = isNew
    ? `This answer spent epsilon ${spent.epsilon} (delta ${spent.delta}) of the privacy budget`
    : `This answer is stored; epsilon ${spent.epsilon} (delta ${spent.delta}) was spent before`;
  const quality = [
    `${rows.length} synthetic rows; none is a row of the clean room.`,
    `${cost}. Epsilon ${budget.remaining / 1e6} remains.`,
    `Dependences kept: ${kept}.`,
    `With 95 %, a count of one column is off by ${columnError} rows at most, ` +
      `and of a pair by ${pairError}.`,
  ];
  const content = question
    ? [...answerTo(question, columns, rows), '', ...quality]
    : [...quality, '', csvOf([columns, ...rows.map((row) => row.map(String))])];
  return content.join('\n');
};
