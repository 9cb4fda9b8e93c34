/** The loss of a model over a text. */
export interface TextLoss {
  /** Predicted tokens: every one of a window but its first. */
  readonly tokens: number;
  /** The sum of -ln p over them. */
  readonly nats: number;
}

/** A window is read on its own: no token sees the window before it. */
export const WINDOW_TOKENS = 128;

/** Whole windows from the start of a text; a rest that fills none is left out. */
export const windowsOf = (ids: Int32Array, windowsMax: number): readonly Int32Array[] => {
  const count = Math.min(windowsMax, Math.floor(ids.length / WINDOW_TOKENS));
  return Array.from({ length: count }, (_, index) =>
    ids.subarray(index * WINDOW_TOKENS, (index + 1) * WINDOW_TOKENS),
  );
};

const { exp, log, max } = Math;

/** ln of the sum of the exponentials, in 64 bits. */
const logSumOf = (logits: Float32Array): number => {
  let largest = -Infinity;
  for (const logit of logits) largest = max(largest, logit);
  let sum = 0;
  for (const logit of logits) sum += exp(logit - largest);
  return log(sum) + largest;
};

/** Gives `[positions, vocabulary]` of a window. */
export type LogitsOf = (window: Int32Array) => Float32Array;

export const lossOver = (windows: readonly Int32Array[], logitsOf: LogitsOf): TextLoss => {
  let nats = 0;
  let tokens = 0;
  for (const window of windows) {
    const logits = logitsOf(window);
    const vocabulary = logits.length / window.length;
    for (let at = 1; at < window.length; at += 1) {
      const row = logits.subarray((at - 1) * vocabulary, at * vocabulary);
      nats += logSumOf(row) - (row[window[at] ?? 0] ?? -Infinity);
      tokens += 1;
    }
  }
  return { tokens, nats };
};

export const perplexityOf = ({ nats, tokens }: TextLoss): number => exp(nats / tokens);

/**
 * The sum over positions of KL(p, q) in nats, for the distributions p and q of two arrays of
 * logits: never negative, and far less noisy than a difference of losses.
 */
export const divergenceOf = (p: Float32Array, q: Float32Array, vocabulary: number): number => {
  let nats = 0;
  for (let start = 0; start < p.length; start += vocabulary) {
    const [mine, other] = [p, q].map((all) => all.subarray(start, start + vocabulary));
    if (mine === undefined || other === undefined) continue;
    const [mineSum, otherSum] = [logSumOf(mine), logSumOf(other)];
    for (let id = 0; id < vocabulary; id += 1) {
      const logP = (mine[id] ?? 0) - mineSum;
      nats += exp(logP) * (logP - (other[id] ?? 0) + otherSum);
    }
  }
  return nats;
};
