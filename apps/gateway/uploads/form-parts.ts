import { type FastifyRequest } from 'fastify';
import { HttpFailure } from '../errors/http-failure.js';
import { FIELD_BYTES_MAX, type FormPart, URL_ENCODED } from './form-part.js';
import { malformed, tooLong } from './malformed-form.js';
import { urlEncodedParts } from './url-encoded-parts.js';

/**
 * The parts of a form of either type, as they arrive.
 * @param contentField its value is streamed, whether it has a file name or not
 * @throws HttpFailure 415 without a form, 400 for one that is malformed or cut short
 */
export const formPartsWith = (
  request: FastifyRequest,
  contentField: string,
): AsyncIterable<FormPart> => {
  if (request.isMultipart()) return multipartParts(request, contentField);
  if (isUrlEncoded(request)) {
    return urlEncodedParts(read(request.raw), contentField);
  }
  const message = `the body must be multipart/form-data or ${URL_ENCODED}`;
  throw new HttpFailure({ status: 415, code: 'unsupported_media_type', message });
};

const isUrlEncoded = ({ headers }: FastifyRequest): boolean =>
  headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() === URL_ENCODED;

async function* multipartParts(
  request: FastifyRequest,
  contentField: string,
): AsyncGenerator<FormPart> {
  const parts = request.parts({
    limits: { fieldSize: FIELD_BYTES_MAX },
    isPartAFile: (name, _type, filename) => name === contentField || filename !== undefined,
  });
  for await (const part of read(parts)) {
    const { fieldname: name } = part;
    if (part.type === 'file') yield { kind: 'content', name, content: read(part.file) };
    else {
      if (part.valueTruncated) throw tooLong(name);
      yield { kind: 'field', name, value: String(part.value) };
    }
  }
}

/** Errors of the parser of forms that are the fault of the caller. */
async function* read<Item>(source: AsyncIterable<Item>): AsyncGenerator<Item, void, void> {
  try {
    yield* source;
  } catch (error) {
    // Limits of the form have a status of their own.
    if (error instanceof Error && !('statusCode' in error)) throw malformed(error.message);
    throw error;
  }
}
