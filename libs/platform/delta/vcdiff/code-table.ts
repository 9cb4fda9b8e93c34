/** The default instruction code table of RFC 3284, section 5.6. */

export const NOOP = 0;
export const ADD = 1;
export const RUN = 2;
export const COPY = 3;

/** Two instructions of one code: type, size (0: the size follows) and address mode of each. */
export interface Code {
  readonly type1: number;
  readonly size1: number;
  readonly mode1: number;
  readonly type2: number;
  readonly size2: number;
  readonly mode2: number;
}

const MODES = 9;
const one = (type1: number, size1: number, mode1 = 0): Code => ({
  type1,
  size1,
  mode1,
  type2: NOOP,
  size2: 0,
  mode2: 0,
});
const addThenCopy = (size1: number, size2: number, mode2: number): Code => ({
  type1: ADD,
  size1,
  mode1: 0,
  type2: COPY,
  size2,
  mode2,
});
const copyThenAdd = (mode1: number): Code => ({
  type1: COPY,
  size1: 4,
  mode1,
  type2: ADD,
  size2: 1,
  mode2: 0,
});

const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

const pairs = (modes: readonly number[], copySizes: readonly number[]): readonly Code[] =>
  modes.flatMap((mode) =>
    range(1, 4).flatMap((size1) => copySizes.map((size2) => addThenCopy(size1, size2, mode))),
  );

export const CODE_TABLE: readonly Code[] = [
  one(RUN, 0),
  ...range(0, 17).map((size) => one(ADD, size)),
  ...range(0, MODES - 1).flatMap((mode) =>
    [0, ...range(4, 18)].map((size) => one(COPY, size, mode)),
  ),
  ...pairs(range(0, 5), range(4, 6)),
  ...pairs(range(6, 8), [4]),
  ...range(0, MODES - 1).map(copyThenAdd),
];
