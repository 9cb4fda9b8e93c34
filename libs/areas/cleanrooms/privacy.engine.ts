import { type PrivacyAnswer, type PrivacyTask } from '#engines/privacy/privacy.protocol.js';

/** Accounting and plans are synchronous and small; answers are computed on a thread. */
export {
  ACCOUNTANT_VERSION,
  epsilonAbove,
  epsilonBelow,
  epsilonOf,
  rhoLimitOf,
  rhoOfPure,
} from '#engines/privacy/accountant.js';
export { planOf, SENSITIVITY_MAX } from '#engines/privacy/answer-query.js';
export {
  type AnswerCell,
  CELLS_MAX,
  type CodedTable,
  type Condition,
  CONDITIONS_MAX,
  type Grid,
  KEYS_MAX,
  type NoisyValue,
  type PrivacyAnswer,
  type PrivacyQuery,
  type PrivacyTask,
  type Spending,
  SYNTHETIC_ROWS_MAX,
  TOP_MAX,
} from '#engines/privacy/privacy.protocol.js';

export interface OpenPrivacyEngine {
  run(task: PrivacyTask, signal: AbortSignal): Promise<PrivacyAnswer>;
  close(): Promise<void>;
}

/** Loaded on first use. It is no task: rows go to no worker. */
export const openPrivacyEngine = async (): Promise<OpenPrivacyEngine> => {
  const { PrivacyEngine } = await import('#engines/privacy/privacy.engine.js');
  return new PrivacyEngine();
};
