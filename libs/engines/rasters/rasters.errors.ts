/** `final`: another process would fail the same way. */
export const RASTERS_FAILURES = {
  payload_too_large: 'final',
  crashed: 'elsewhere',
  closed: 'elsewhere',
} as const;
export type RastersFailure = keyof typeof RASTERS_FAILURES;

/** Errors of the engine. */
export class RastersError extends Error {
  override readonly name = 'RastersError';

  constructor(
    readonly code: RastersFailure,
    message: string,
  ) {
    super(message);
  }
}

/** Why a payload is not a verified image. */
export const PROBLEMS = [
  'compression_damaged',
  'not_an_image',
  'image_damaged',
  'image_unsupported',
  'image_too_large',
  'not_georeferenced',
  'crs_unsupported',
  'region_disjoint',
] as const;
export type Problem = (typeof PROBLEMS)[number];

/** A payload that is kept, but is no image that could be verified. */
export class RasterProblem extends Error {
  override readonly name = 'RasterProblem';

  constructor(
    readonly problem: Problem,
    message: string,
  ) {
    super(message);
  }
}

export const damaged = (message: string): never => {
  throw new RasterProblem('image_damaged', message);
};

export const unsupported = (message: string): never => {
  throw new RasterProblem('image_unsupported', message);
};
