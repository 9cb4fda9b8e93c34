/** `final`: every worker would fail the same way. */
export const ORBITS_FAILURES = {
  elements_decayed: 'final',
  elements_not_propagable: 'final',
  crashed: 'elsewhere',
  closed: 'elsewhere',
} as const;
export type OrbitsFailure = keyof typeof ORBITS_FAILURES;

/** Errors of the engine; `code` is what a task reports. */
export class OrbitsError extends Error {
  override readonly name = 'OrbitsError';

  constructor(
    readonly code: OrbitsFailure,
    message: string,
  ) {
    super(message);
  }
}
