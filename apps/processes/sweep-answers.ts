import { type Logger } from 'pino';
import { type AnswerStore } from '#areas/inference/idempotency/answer-store.port.js';

const EVERY_MS = 60_000;

/**
 * Removes expired answers of idempotent requests until the timer is cleared. What fails is left for
 * the next time, here or in another process: the store may be away.
 */
export const sweepAnswers = (
  answers: Pick<AnswerStore, 'sweep'>,
  logger: Logger,
): NodeJS.Timeout => {
  const sweep = async (): Promise<void> => {
    try {
      await answers.sweep();
    } catch (error) {
      logger.warn({ err: error }, 'expired answers could not be removed');
    }
  };
  return setInterval(() => void sweep(), EVERY_MS).unref();
};
