import { setImmediate as nextTurn } from 'node:timers/promises';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import { RouteConfig } from '@nestjs/platform-fastify';
import { type FastifyRequest } from 'fastify';
import { HttpFailure } from '../errors/http-failure.js';
import { MULTIPART, NAME_BYTES_MAX, URL_ENCODED } from '../uploads/form-part.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set by `@AcceptsFormFields()`. */
    formFields?: boolean;
  }
}

export const FORM_TYPES = [URL_ENCODED, MULTIPART] as const;

/** Of one form. The limit of bodies bounds its bytes. */
const FIELDS_MAX = 64;
/** Bytes that are parsed before the next look whether the form is rejected. */
const STEP_BYTES = 16_384;
/** Bytes that one turn of the event loop parses: 3 MiB of escapes take a tenth of a second. */
const TURN_BYTES = 8 * STEP_BYTES;

/**
 * A method whose body is JSON or a form without files. Of a form, it receives an object with a
 * string for each field, within the limits of JSON bodies.
 */
export const AcceptsFormFields = (): MethodDecorator => RouteConfig({ formFields: true });

/** The content type of the form in a request to a route that accepts its fields; else undefined. */
export const formTypeOf = (request: FastifyRequest): string | undefined => {
  const type = request.headers['content-type'];
  if (type === undefined || !isFormType(type.toLowerCase())) return undefined;
  return request.routeOptions.config.formFields === true ? type : undefined;
};

const isFormType = (type: string): boolean =>
  type.startsWith(URL_ENCODED) || type.startsWith(MULTIPART);

/**
 * @throws HttpFailure 400 for a body that is no form of that type, for a file and for a repeated
 *   field
 */
export const parseFormFields = (
  bytes: Buffer,
  type: string,
): Promise<Readonly<Record<string, string>>> => {
  const { promise, resolve, reject } = Promise.withResolvers<Record<string, string>>();
  const found = new Map<string, string>();
  const progress = { isOver: false };
  const fail = (message: string, param?: string): void => {
    progress.isOver = true;
    reject(invalid(message, param));
  };
  const tooMany = (): void => fail(`the form has more than ${FIELDS_MAX} fields`);
  const add = (name: string, value: string): void => {
    if (name === '__proto__') fail('a field may not be named __proto__');
    else if (found.has(name)) fail(`${name}: is given twice`, name);
    else if (found.size === FIELDS_MAX) tooMany();
    else found.set(name, value);
  };
  const parse = async (): Promise<void> => {
    const headers: BusboyHeaders = { 'content-type': type };
    // One more than is accepted, so that it is seen.
    const counts = { fields: FIELDS_MAX + 1, parts: FIELDS_MAX };
    const limits = { ...counts, fieldNameSize: NAME_BYTES_MAX, fieldSize: bytes.length };
    const form = new Busboy({ headers, limits })
      .on('field', add)
      .on('file', (name, file) => {
        file.resume();
        fail(`${name}: a file is not expected`, name);
      })
      .on('partsLimit', tooMany)
      .on('error', () => fail(MALFORMED))
      .on('finish', () => resolve(Object.fromEntries(found)));
    for (let at = 0; at < bytes.length && !progress.isOver; at += STEP_BYTES) {
      if (at > 0 && at % TURN_BYTES === 0) await nextTurn();
      form.write(bytes.subarray(at, at + STEP_BYTES));
    }
    form.end();
  };
  parse().catch(() => fail(MALFORMED));
  return promise;
};

const MALFORMED = 'the body is not a form of its content type';

const invalid = (message: string, param?: string): HttpFailure =>
  new HttpFailure({
    status: 400,
    code: 'invalid_form',
    message,
    ...(param !== undefined && { param }),
  });
