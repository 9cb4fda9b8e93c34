import { sideOf, TOKEN_PARTS } from '#events/token-meters.js';
import { type Usage } from '#platform/chats/chat-usage.js';
import { type TokenUnits } from '#platform/ledger/token-price.js';

/** The tokens of each class: the parts, and the rest of the prompt and of the answer. */
export const unitsOf = ({ promptTokens, completionTokens, parts = {} }: Usage): TokenUnits => {
  const rest = { input_tokens: promptTokens, output_tokens: completionTokens };
  for (const part of TOKEN_PARTS) rest[sideOf(part)] -= parts[part] ?? 0;
  return { ...rest, ...parts };
};
