import { z } from 'zod';
import { type ChatBody } from '#platform/chats/chat-order.js';
import { textOf } from '#platform/chats/read-answer.js';
import { rejectedField } from '#platform/runtime/commands/rejected-request.js';
import { SYNTHETIC_ROWS_MAX } from './privacy.engine.js';
import { questionOf, type SynthesisQuestion } from './synthesis-question.js';

/** The last message of a chat. */
export interface SynthesisPrompt {
  readonly text: string;
  readonly rows: number;
  /** Null: the answer is the table. */
  readonly question: SynthesisQuestion | null;
  readonly epsilon?: string | undefined;
  readonly rho?: string | undefined;
}

const ROWS_DEFAULT = 100;
/** All questions with the same amount have answers of one table, which is paid for once. */
const ROWS_OF_QUESTION = 1_000;
const QUESTION_LENGTH_MAX = 2_000;
const Amount = z
  .string()
  .regex(/^\d{1,4}(\.\d{1,9})?$/)
  .optional();
const Wish = z.strictObject({
  question: z.string().max(QUESTION_LENGTH_MAX).optional(),
  rows: z.int().min(1).max(SYNTHETIC_ROWS_MAX).optional(),
  epsilon: Amount,
  rho: Amount,
});
const EXPECTED =
  'expected JSON such as {"question": "count by clinic", "rows": 100, "epsilon": "0.5"} ' +
  `with rows from 1 to ${SYNTHETIC_ROWS_MAX}; each field is optional`;

/**
 * A message that begins with a brace is JSON with the wishes of the caller. Any other text is a
 * question, or asks for the table.
 * @throws RejectedRequestError
 */
export const promptOf = ({ messages }: ChatBody): SynthesisPrompt => {
  const text = textOf(messages.at(-1)?.content).trim();
  if (text.length > QUESTION_LENGTH_MAX) {
    throw rejectedField('messages', `expected at most ${QUESTION_LENGTH_MAX} characters`);
  }
  const read = text.startsWith('{') ? Wish.safeParse(jsonOf(text)) : { data: { question: text } };
  if (!read.data) throw rejectedField('messages', EXPECTED);
  const { question: asked = 'table', rows, epsilon, rho }: z.infer<typeof Wish> = read.data;
  const question = questionOf(asked);
  const rowsDefault = question ? ROWS_OF_QUESTION : ROWS_DEFAULT;
  return { text, rows: rows ?? rowsDefault, question, epsilon, rho };
};

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
