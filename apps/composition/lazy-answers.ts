import { existsSync } from 'node:fs';
import { type AnswerStore } from '#areas/inference/idempotency/answer-store.port.js';

/**
 * Opens the answer store when a request first needs it: it runs in a thread of its own, some 15 MB,
 * and many installations never see an `Idempotency-Key`. What an earlier run left is still swept.
 */
export const lazyAnswers = (file: string, open: () => Promise<AnswerStore>): AnswerStore => {
  let opening: Promise<AnswerStore> | undefined;
  const opened = (): Promise<AnswerStore> => {
    // One that failed is tried anew by the next request: a full disk may have room again.
    opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  return {
    admit: async (request, settle) => (await opened()).admit(request, settle),
    sweep: async () => (opening || existsSync(file) ? (await opened()).sweep() : 0),
    close: async () => {
      const store = await opening?.catch(() => undefined);
      await store?.close();
    },
  };
};
