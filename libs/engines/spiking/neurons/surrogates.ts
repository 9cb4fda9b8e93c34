/** Slope in place of the derivative of the hard step in training; x is potential - threshold. */
export type Surrogate = (x: number) => number;

/** Derivative of the arctangent surrogate of SpikingJelly. */
export const atan =
  (alpha = 2): Surrogate =>
  (x) =>
    alpha / 2 / (1 + ((Math.PI / 2) * alpha * x) ** 2);

/** Derivative of `sigmoid(alpha x)`. */
export const sigmoid =
  (alpha = 4): Surrogate =>
  (x) => {
    const value = 1 / (1 + Math.exp(-alpha * x));
    return alpha * value * (1 - value);
  };

export const fastSigmoid =
  (slope = 25): Surrogate =>
  (x) =>
    1 / (1 + slope * Math.abs(x)) ** 2;

export const SURROGATES = { atan: atan(), sigmoid: sigmoid(), fastSigmoid: fastSigmoid() } as const;
export type SurrogateName = keyof typeof SURROGATES;
