import { createHash } from 'node:crypto';
import { type FastifyRequest } from 'fastify';
import { boundedBytes } from '#platform/kernel/bounded-bytes.js';
import { HttpFailure } from '../errors/http-failure.js';
import { multipartOf } from '../uploads/form-parts.js';

/** A form with one recording. As JSON, which idempotent requests compare, it has no bytes. */
export class AudioForm {
  readonly #file: Buffer;
  readonly sha256: string;

  constructor(
    readonly fields: readonly (readonly [name: string, value: string])[],
    readonly filename: string,
    file: Buffer,
  ) {
    this.#file = file;
    this.sha256 = createHash('sha256').update(file).digest('hex');
  }

  get file(): Buffer {
    return this.#file;
  }
}

/** The form that the interceptor of the route has read. */
export const audioFormOf = ({ body }: Pick<FastifyRequest, 'body'>): AudioForm => {
  if (body instanceof AudioForm) return body;
  throw new Error('a route of audio needs the interceptor that reads its form');
};

const invalid = (message: string): HttpFailure =>
  new HttpFailure({ status: 400, code: 'invalid_form', message, param: 'file' });

/**
 * Reads a form as it arrives.
 * @throws HttpFailure for a form without one file, or with one above the limit
 */
export const readAudioForm = async (
  request: FastifyRequest,
  fileBytesMax: number,
): Promise<AudioForm> => {
  const fields: [string, string][] = [];
  let found: { readonly filename: string; readonly file: Buffer } | null = null;
  for await (const part of multipartOf(request)) {
    if (part.kind === 'field') fields.push([part.name, part.value]);
    else if (part.name !== 'file' || found) throw invalid('file: expected one file of this name');
    else found = { filename: part.filename, file: await whole(part.content, fileBytesMax) };
  }
  if (!found) throw invalid('file: expected a recording, received none');
  if (found.file.length === 0) throw invalid('file: it is empty');
  return new AudioForm(fields, found.filename.slice(0, 255) || 'audio', found.file);
};

const whole = (content: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Buffer> =>
  boundedBytes(content, bytesMax, () => {
    const message = `file: expected at most ${bytesMax} bytes`;
    return new HttpFailure({ status: 413, code: 'file_too_large', message, param: 'file' });
  });
