/** `final`: every worker would fail the same way. */
export const PROOFS_FAILURES = {
  malformed: 'final',
  coordinate_out_of_field: 'final',
  point_off_curve: 'final',
  point_in_wrong_subgroup: 'final',
  point_at_infinity: 'final',
  scalar_out_of_field: 'final',
  input_out_of_field: 'final',
  input_count_wrong: 'final',
  scheme_mismatch: 'final',
  key_without_secrets: 'final',
  crashed: 'elsewhere',
  closed: 'elsewhere',
} as const;
export type ProofsFailure = keyof typeof PROOFS_FAILURES;

/** Errors of the engine; `code` is the code of the failed task. */
export class ProofsError extends Error {
  override readonly name = 'ProofsError';

  constructor(
    readonly code: ProofsFailure,
    message: string,
  ) {
    super(message);
  }
}

export const reject = (code: ProofsFailure, path: string, problem: string): never => {
  throw new ProofsError(code, `${path}: ${problem}`);
};

/** A key of a ceremony to which no party has contributed: everyone knows its secrets. */
export const demandSecrets = (isDrawn: boolean, path: string): void => {
  if (isDrawn) return;
  reject('key_without_secrets', path, 'expected a point of a ceremony with a contribution');
};
