import { type PaidOrder } from '#platform/ledger/paid-work/paid-order.js';
import { type PipelineMessage, type Transport } from './pipeline.task.js';

export interface PipelineOrder extends PaidOrder {
  readonly model: string;
  readonly messages: readonly PipelineMessage[];
  readonly transport: Transport;
  /** Null for as many as the model's catalog entry allows. */
  readonly maxTokens: number | null;
  readonly temperature: number;
  readonly topP: number | null;
  readonly stop: readonly string[];
  readonly seed: number | null;
}

/** The tokens that a template adds once, and around each message. */
const TOKENS_PER_PROMPT = 128;
const TOKENS_PER_MESSAGE = 16;

/**
 * An upper bound of the prompt's tokens: a byte-level tokenizer spends at most one on a byte. The
 * context is another bound, and the smaller one holds.
 */
export const promptTokensBound = (
  messages: readonly PipelineMessage[],
  contextTokens: number,
): number => {
  const bytes = messages.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
  const around = TOKENS_PER_PROMPT + messages.length * TOKENS_PER_MESSAGE;
  return Math.min(contextTokens, bytes + around);
};
