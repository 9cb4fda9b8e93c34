/** One measured number, with the bar it is held against where there is one. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly target?: { readonly atLeast?: number; readonly atMost?: number };
}
