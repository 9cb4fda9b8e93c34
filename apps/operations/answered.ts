/** A server that does not answer within this time is not there. */
const ANSWER_MS_MAX = 2_000;

export interface Answered<Answer> {
  readonly answer: Answer | undefined;
  /** Why there is none, or null. */
  readonly failure: string | null;
}

/** What a server says in time, or why it does not: whoever asks for health needs an answer. */
export const answered = async <Answer>(asked: Promise<Answer>): Promise<Answered<Answer>> => {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    const late = new Error(`no answer within ${ANSWER_MS_MAX} ms`);
    timer = setTimeout(() => reject(late), ANSWER_MS_MAX);
  });
  try {
    return { answer: await Promise.race([asked, silence]), failure: null };
  } catch (error) {
    return { answer: undefined, failure: error instanceof Error ? error.message : String(error) };
  } finally {
    clearTimeout(timer);
  }
};
