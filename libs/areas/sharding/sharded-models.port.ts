import { type TokenRate, type TokenRates } from '#platform/chats/token-tariff.js';

/** A model as the catalog offers it. */
export interface ShardedModel {
  readonly id: string;
  /** Absolute path of its GGUF file; null where only an upstream server has it. */
  readonly file: string | null;
  readonly contextTokens: number;
  /** Of an answer without a limit. */
  readonly maxOutputTokens: number;
}

/** The models that callers may name, and what their tokens cost. Neither look-up waits. */
export abstract class ShardedModels implements TokenRates {
  abstract model(id: string): ShardedModel | undefined;
  /** At an instant in milliseconds since the epoch. */
  abstract rateFor(modelId: string, atMs: number): TokenRate | undefined;
  abstract idOf(name: string): string | undefined;
}
