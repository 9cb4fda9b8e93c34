import { csvOf } from '#platform/kernel/csv.js';
import { type AnsweredQuestion } from './ask-room.handler.js';

/** The text of a chat: the cost and the quality of the table, then the table as CSV. */
export const statementOf = ({ answer, spent, isNew, budget }: AnsweredQuestion): string => {
  if (answer.kind !== 'table') throw new Error('a synthesis without a table');
  const { columns, rows, pairs, columnError, pairError } = answer;
  const kept = pairs.map((pair) => pair.join(' with ')).join(', ') || 'none';
  const cost = isNew
    ? `This answer spent epsilon ${spent.epsilon} (delta ${spent.delta}) of the privacy budget`
    : `This answer is stored; epsilon ${spent.epsilon} (delta ${spent.delta}) was spent before`;
  return [
    `${rows.length} synthetic rows; none is a row of the clean room.`,
    `${cost}. Epsilon ${budget.remaining / 1e6} remains.`,
    `Dependences kept: ${kept}.`,
    `With 95 %, a count of one column is off by ${columnError} rows at most, ` +
      `and of a pair by ${pairError}.`,
    '',
    csvOf([columns, ...rows.map((row) => row.map(String))]),
  ].join('\n');
};
