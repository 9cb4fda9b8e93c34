import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { CommandFailure, interrupted, usage } from './command-failure.js';
import { type Invocation, type IrreversibleOptions } from './invocation.js';

export interface Confirmation {
  /** The word that the user types to confirm. */
  readonly word: string;
  /** The consequence, as a sentence. */
  readonly consequence: string;
  /** The sentence for a command that was not confirmed. */
  readonly otherwise: string;
}

/**
 * Asks before a step that cannot be undone, unless the command has `--yes`.
 * @throws CommandFailure unless the user types the word; `usage` without a terminal
 */
export const confirm = async (
  { word, consequence, otherwise }: Confirmation,
  { yes = false }: IrreversibleOptions,
  { stdin, stderr, signal }: Pick<Invocation, 'stdin' | 'stderr' | 'signal'>,
): Promise<void> => {
  if (yes) return;
  if (!stdin.isTTY || stderr.isTTY !== true) {
    throw usage('--yes is required without a terminal');
  }
  const terminal = createInterface({ input: stdin, output: stderr });
  // Ctrl-C and Ctrl-D close the terminal without an answer and do not reach the process.
  const closed = once(terminal, 'close').then(() => Promise.reject(interrupted()));
  try {
    const question = `${consequence} Type ${word} to confirm: `;
    const answer = await Promise.race([terminal.question(question, { signal }), closed]);
    if (answer.trim() !== word) {
      throw new CommandFailure('not_confirmed', `not confirmed: ${otherwise}`);
    }
  } catch (error) {
    throw signal.aborted || isAbort(error) ? interrupted() : error;
  } finally {
    closed.catch(() => undefined);
    terminal.close();
  }
};

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';
