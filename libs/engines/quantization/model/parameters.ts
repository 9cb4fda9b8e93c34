import { type GgufTensorInfo } from '../../language-model/gguf.header.js';

export const parametersIn = (tensors: Iterable<Pick<GgufTensorInfo, 'dimensions'>>): number =>
  [...tensors].reduce(
    (sum, { dimensions }) => sum + dimensions.reduce((product, side) => product * side, 1),
    0,
  );
