import { within } from '#platform/kernel/within.js';

/** A server that does not answer within this time counts as unavailable. */
const ANSWER_MS_MAX = 2_000;

export interface Answered<Answer> {
  readonly answer: Answer | undefined;
  /** Why there is none, or null. */
  readonly failure: string | null;
}

/** The answer of a server, or why there is none: a health check must answer in any case. */
export const answered = async <Answer>(asked: Promise<Answer>): Promise<Answered<Answer>> => {
  try {
    return { answer: await within(asked, ANSWER_MS_MAX), failure: null };
  } catch (error) {
    return { answer: undefined, failure: error instanceof Error ? error.message : String(error) };
  }
};
