import { HttpFailure } from './http-failure.js';

/** The failure of a form on a route that takes JSON only. */
export const mustBeJson = (): HttpFailure =>
  new HttpFailure({
    status: 415,
    code: 'unsupported_media_type',
    message: 'the body must be JSON',
  });
