/** Tokens that are charged; a bound when they are held. */
export interface TokenQuantities {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Token counts as the answering side states them, or as counted here when it states none. */
export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** `provider`: stated by the rig. `counted`: counted by Quipu from the delivered pieces. */
  readonly source: 'provider' | 'counted';
}

/** The OpenAI object, for answers and last chunks that are written here. */
export const usageObject = ({ promptTokens, completionTokens }: Usage) => ({
  prompt_tokens: promptTokens,
  completion_tokens: completionTokens,
  total_tokens: promptTokens + completionTokens,
});
