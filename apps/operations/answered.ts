import { within } from '#platform/kernel/within.js';

/** A server that does not answer within this time counts as unavailable. */
const ANSWER_MS_MAX = 2_000;

export interface Answered<Answer> {
  readonly answer: Answer | undefined;
  /** The reason of a missing answer, or null. */
  readonly failure: string | null;
}

/** The answer or the failure of a server, in limited time, for health and metrics. */
export const answered = async <Answer>(
  asked: Promise<Answer>,
  timeoutMs = ANSWER_MS_MAX,
): Promise<Answered<Answer>> => {
  try {
    return { answer: await within(asked, timeoutMs), failure: null };
  } catch (error) {
    return { answer: undefined, failure: error instanceof Error ? error.message : String(error) };
  }
};
