/** As large as a model that is quantized. */
export const PARAMETERS_MAX = 100_000_000;
