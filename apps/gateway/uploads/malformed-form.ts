import { HttpFailure } from '../errors/http-failure.js';
import { FIELD_BYTES_MAX, PARTS_MAX } from './form-part.js';

export const malformed = (message: string): HttpFailure =>
  new HttpFailure({ status: 400, code: 'invalid_form', message: `the form: ${message}` });

export const tooLong = (name: string): HttpFailure =>
  malformed(`${name} has more than ${FIELD_BYTES_MAX} bytes`);

export const tooManyParts = (): HttpFailure => malformed(`it has more than ${PARTS_MAX} parts`);
