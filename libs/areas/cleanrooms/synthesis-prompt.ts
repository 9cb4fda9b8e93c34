import { z } from 'zod';
import { type ChatBody } from '#platform/chats/chat-order.js';
import { textOf } from '#platform/chats/read-answer.js';
import { rejectedField } from '#platform/runtime/commands/rejected-request.js';
import { SYNTHETIC_ROWS_MAX } from './privacy.engine.js';

/** The last message of a chat. */
export interface SynthesisPrompt {
  readonly text: string;
  readonly rows: number;
  readonly epsilon?: string | undefined;
  readonly rho?: string | undefined;
}

const ROWS_DEFAULT = 100;
const Amount = z
  .string()
  .regex(/^\d{1,4}(\.\d{1,9})?$/)
  .optional();
const Wish = z.strictObject({
  rows: z.int().min(1).max(SYNTHETIC_ROWS_MAX).default(ROWS_DEFAULT),
  epsilon: Amount,
  rho: Amount,
});
const EXPECTED =
  'expected text, or JSON such as {"rows": 100, "epsilon": "0.5"} with rows ' +
  `from 1 to ${SYNTHETIC_ROWS_MAX}`;

/**
 * A message that begins with a brace is JSON with the wishes of the caller; any other text asks for
 * the default.
 * @throws RejectedRequestError
 */
export const promptOf = ({ messages }: ChatBody): SynthesisPrompt => {
  const text = textOf(messages.at(-1)?.content).trim();
  if (!text.startsWith('{')) return { text, rows: ROWS_DEFAULT };
  const read = Wish.safeParse(jsonOf(text));
  if (!read.success) throw rejectedField('messages', EXPECTED);
  return { text, ...read.data };
};

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
