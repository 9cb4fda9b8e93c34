/** One problem of a catalog file, with its place. */
export interface CatalogProblem {
  /** As in `models[0].price.input_usd_per_mtok`; empty for the file as a whole. */
  readonly path: string;
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  readonly message: string;
}

/** The file is not a valid catalog and is not used. The message lists every problem, one a line. */
export class CatalogError extends Error {
  override readonly name = 'CatalogError';

  constructor(
    readonly file: string,
    readonly problems: readonly CatalogProblem[],
  ) {
    super(problems.map((problem) => sentence(file, problem)).join('\n'));
  }
}

const sentence = (file: string, { path, line, column, message }: CatalogProblem): string =>
  `${file}:${line}:${column}: ${path === '' ? '' : `${path} `}${message}`;
