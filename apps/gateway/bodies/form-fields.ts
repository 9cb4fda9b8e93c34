import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import { RouteConfig } from '@nestjs/platform-fastify';
import { type FastifyRequest } from 'fastify';
import { HttpFailure } from '../errors/http-failure.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set by `@AcceptsFormFields()`. */
    formFields?: boolean;
  }
}

const FORM_TYPES = ['application/x-www-form-urlencoded', 'multipart/form-data'] as const;

/** Of one form. The limit of bodies bounds its bytes. */
const FIELDS_MAX = 64;
const NAME_BYTES_MAX = 100;

/**
 * A method whose body is JSON or a form without files. Of a form, it receives an object with a
 * string for each field, within the limits of JSON bodies.
 */
export const AcceptsFormFields = (): MethodDecorator => RouteConfig({ formFields: true });

/** The content type of the form in a request to a route that accepts its fields; else undefined. */
export const formTypeOf = ({ headers, routeOptions }: FastifyRequest): string | undefined => {
  const type = headers['content-type'];
  if (type === undefined || routeOptions.config.formFields !== true) return undefined;
  const isForm = FORM_TYPES.some((form) => type.toLowerCase().startsWith(form));
  return isForm ? type : undefined;
};

/** @throws HttpFailure 400 for what is no form of that type, for a file and for a repeated field */
export const parseFormFields = (
  bytes: Buffer,
  type: string,
): Promise<Readonly<Record<string, string>>> => {
  const { promise, resolve, reject } = Promise.withResolvers<Record<string, string>>();
  const found = new Map<string, string>();
  const malformed = (): void => reject(invalid('the body is not a form of its content type'));
  const add = (name: string, value: string): void => {
    if (name === '__proto__') reject(invalid('a field may not be named __proto__'));
    else if (found.has(name)) reject(invalid(`${name}: is given twice`, name));
    else if (found.size === FIELDS_MAX)
      reject(invalid(`the form has more than ${FIELDS_MAX} fields`));
    else found.set(name, value);
  };
  try {
    const headers: BusboyHeaders = { 'content-type': type };
    // One more than is accepted, so that it is seen.
    const fields = FIELDS_MAX + 1;
    const limits = { fields, fieldNameSize: NAME_BYTES_MAX, fieldSize: bytes.length };
    new Busboy({ headers, limits })
      .on('field', add)
      .on('file', (name, file) => {
        file.resume();
        reject(invalid(`${name}: a file is not expected`, name));
      })
      .on('error', malformed)
      .on('finish', () => resolve(Object.fromEntries(found)))
      .end(bytes);
  } catch {
    malformed();
  }
  return promise;
};

const invalid = (message: string, param?: string): HttpFailure =>
  new HttpFailure({
    status: 400,
    code: 'invalid_form',
    message,
    ...(param !== undefined && { param }),
  });
