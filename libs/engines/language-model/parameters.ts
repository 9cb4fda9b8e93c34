import { type GgufTensorInfo } from './gguf.header.js';

/** The weights of all tensors. */
export const parametersIn = (tensors: Iterable<Pick<GgufTensorInfo, 'dimensions'>>): number =>
  [...tensors].reduce(
    (sum, { dimensions }) => sum + dimensions.reduce((product, side) => product * side, 1),
    0,
  );
