import { type FastifyRequest } from 'fastify';
import { HttpFailure } from '../errors/http-failure.js';
import { type FormPart, MULTIPART, URL_ENCODED } from './form-part.js';
import { malformed } from './malformed-form.js';
import { multipartParts } from './multipart-parts.js';
import { urlEncodedParts } from './url-encoded-parts.js';

/**
 * The parts of a multipart form, as they arrive.
 * @throws HttpFailure 415 without such a form, 400 for one that is malformed or cut short
 */
export const multipartOf = (request: FastifyRequest): AsyncIterable<FormPart> => {
  const { raw, headers } = request;
  if (isOfType(request, MULTIPART)) return multipartParts(raw, headers, null);
  throw unsupported(MULTIPART);
};

/**
 * The parts of a form of either type, as they arrive.
 * @param fileField its value is a file in a form of either type
 * @throws HttpFailure 415 without a form, 400 for one that is malformed or cut short
 */
export const formPartsWith = (
  request: FastifyRequest,
  fileField: string,
): AsyncIterable<FormPart> => {
  const { raw, headers } = request;
  if (isOfType(request, MULTIPART)) return multipartParts(raw, headers, fileField);
  if (isOfType(request, URL_ENCODED)) return urlEncodedParts(received(raw), fileField);
  throw unsupported(`${MULTIPART} or ${URL_ENCODED}`);
};

const isOfType = ({ headers }: FastifyRequest, type: string): boolean =>
  headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() === type;

const unsupported = (types: string): HttpFailure => {
  const message = `the body must be ${types}`;
  return new HttpFailure({ status: 415, code: 'unsupported_media_type', message });
};

async function* received(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* source;
  } catch {
    throw malformed('it is cut short');
  }
}
