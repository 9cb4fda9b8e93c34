import { type IncomingHttpHeaders } from 'node:http';
import { PassThrough, type Readable, Writable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { FIELD_BYTES_MAX, type FormPart, MULTIPART, PARTS_MAX } from './form-part.js';
import { malformed, tooLong, tooManyParts } from './malformed-form.js';

/** Of one part. A file name has 255 characters, of up to nine bytes as RFC 5987 escapes. */
const HEADERS = { headerPairs: 8, headerSize: 8_192 } as const;
const LIMITS = { ...HEADERS, fieldSize: FIELD_BYTES_MAX, parts: PARTS_MAX } as const;
/** Bytes that are parsed before the next look whether the form is over: thousands of boundaries. */
const STEP_BYTES = 4_096;

/**
 * The parts of a form of the type `multipart/form-data`, as they arrive. After a failure, and when
 * the reader stops, no further byte of the source is parsed.
 * @param fileField its value is a file, whether it has a file name or not
 * @throws HttpFailure 400 for a form that is malformed, cut short or has too many parts
 */
export const multipartParts = (
  source: Readable,
  headers: IncomingHttpHeaders,
  fileField: string | null,
): AsyncIterable<FormPart> => {
  const parts = new PassThrough({ objectMode: true });
  let file: Readable | undefined;
  const form = formOf(headers, (name, _, filename) => name === fileField || filename !== undefined);
  const stop = (error?: Error): void => {
    source.unpipe(steps);
    file?.destroy(error);
    parts.destroy(error);
  };
  const steps = inSteps(form, () => parts.destroyed);
  const isCutShort = (): boolean => !source.readableEnded;
  form
    .on('field', (name, value, _, isCut) => {
      if (isCut) stop(tooLong(name));
      else parts.write({ kind: 'field', name, value });
    })
    .on('file', (name, content, filename: string | undefined) => {
      // Its reader receives the error.
      file = content.on('error', () => undefined);
      const part = { kind: 'file', name, filename: filename ?? '', content: readPart(content) };
      parts.write(part);
    })
    .on('partsLimit', () => stop(tooManyParts()))
    .on('error', (error) => stop(malformed(messageOf(error))))
    .on('finish', () => parts.end());
  source.once('close', () => isCutShort() && stop(malformed('it is cut short')));
  parts.on('error', () => undefined).once('close', () => stop());
  source.pipe(steps);
  return parts;
};

const formOf = (
  headers: IncomingHttpHeaders,
  isPartAFile: (name?: string, type?: string, filename?: string) => boolean,
) => {
  const { 'content-type': type = MULTIPART } = headers;
  try {
    return new Busboy({ headers: { 'content-type': type }, limits: LIMITS, isPartAFile });
  } catch (error) {
    throw malformed(messageOf(error));
  }
};

/** Passes on what arrives, in steps, and nothing once the form is over. */
const inSteps = (form: Writable, isOver: () => boolean): Writable =>
  new Writable({
    write(bytes: Buffer, _, done) {
      let hasRoom = true;
      for (let at = 0; at < bytes.length && !isOver(); at += STEP_BYTES) {
        hasRoom = form.write(bytes.subarray(at, at + STEP_BYTES));
      }
      if (hasRoom) done();
      else form.once('drain', () => done());
    },
    final(done) {
      form.end();
      done();
    },
  });

/** A part that ends before its boundary is the fault of the caller. */
async function* readPart(content: Readable): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* content;
  } catch (error) {
    throw malformed(messageOf(error));
  }
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
