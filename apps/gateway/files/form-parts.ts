import { type FastifyRequest } from 'fastify';
import { type UploadPart } from '#areas/files/upload-file.handler.js';
import { HttpFailure } from '../errors/http-failure.js';

/**
 * The parts of the form in a request, as they arrive.
 * @throws HttpFailure 415 without a form, 400 for one that is malformed or cut short
 */
export async function* formPartsOf(request: FastifyRequest): AsyncGenerator<UploadPart> {
  if (!request.isMultipart()) {
    const message = 'the body must be multipart/form-data';
    throw new HttpFailure({ status: 415, code: 'unsupported_media_type', message });
  }
  for await (const part of read(request.parts())) {
    const name = part.fieldname;
    if (part.type === 'field') yield { kind: 'field', name, value: String(part.value) };
    else yield { kind: 'file', name, filename: part.filename, content: read(part.file) };
  }
}

/** Errors of the parser of forms that are the fault of the caller. */
async function* read<Item>(source: AsyncIterable<Item>): AsyncGenerator<Item, void, void> {
  try {
    yield* source;
  } catch (error) {
    // Limits of the form have a status of their own.
    if (error instanceof Error && !('statusCode' in error)) throw malformed(error);
    throw error;
  }
}

const malformed = ({ message }: Error): HttpFailure =>
  new HttpFailure({ status: 400, code: 'invalid_form', message: `the form: ${message}` });
