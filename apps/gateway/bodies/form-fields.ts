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

/** Fields of one form. */
const FIELDS_MAX = 64;

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

/** @throws HttpFailure 400 for what is no form of that type, a file, and a field that is repeated */
export const parseFormFields = async (
  bytes: Buffer,
  type: string,
): Promise<Readonly<Record<string, string>>> => {
  const fields = new Map<string, string>();
  for (const [name, value] of await formOf(bytes, type)) {
    if (typeof value !== 'string') throw invalid(`${name}: a file is not expected`, name);
    if (fields.has(name)) throw invalid(`${name}: is given twice`, name);
    if (name === '__proto__') throw invalid('a field may not be named __proto__');
    fields.set(name, value);
    if (fields.size > FIELDS_MAX) throw invalid(`the form has more than ${FIELDS_MAX} fields`);
  }
  return Object.fromEntries(fields);
};

const formOf = async (bytes: Buffer, type: string): Promise<FormData> => {
  try {
    // The copy is of the type that the parser of the platform takes.
    const body = new Uint8Array(bytes);
    return await new Response(body, { headers: { 'content-type': type } }).formData();
  } catch {
    throw invalid('the body is not a form of its content type');
  }
};

const invalid = (message: string, param?: string): HttpFailure =>
  new HttpFailure({
    status: 400,
    code: 'invalid_form',
    message,
    ...(param !== undefined && { param }),
  });
