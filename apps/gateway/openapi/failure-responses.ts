import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import {
  anthropicEnvelope,
  applicationEnvelope,
  type ErrorShape,
  errorShapeOf,
  type Failure,
  openAiEnvelope,
  SHAPE_EXTENSION,
} from '../errors/envelope.js';
import { failure } from '../errors/failure-of.js';
import { type FailureCode } from './failure-codes.js';
import {
  AnthropicFailure,
  ApplicationFailure,
  CODE_EXTENSION,
  OpenAiFailure,
} from './failures.docs.js';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

/** An operation of the document with its route. */
export interface Located {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

/** The meaning of each status on any route. */
const DESCRIPTIONS: Readonly<Record<number, string>> = {
  400: 'A field is missing or wrong. The message names it.',
  401: 'The credential is missing, unknown, expired or of the wrong kind.',
  402: 'The balance does not cover the request.',
  403: 'The role of the account does not allow the request.',
  404: 'The requested object does not exist.',
  408: 'The request took too long to arrive.',
  409: 'The request conflicts with the current state.',
  410: 'It existed, and is no longer there.',
  413: 'The body is larger than the limit of this gateway.',
  415: 'The body is not JSON.',
  416: 'The file does not have these bytes. `Content-Range` gives its size.',
  422: 'The request is understood, and cannot be answered. The message says why.',
  426: 'The route needs a WebSocket.',
  429: 'There were too many requests or failed attempts. `Retry-After` gives the pause in seconds.',
  500: 'The gateway has a defect. The operator finds the cause by the request id.',
  501: 'This release does not implement the requested feature.',
  502: 'The upstream failed.',
  503: 'The service is temporarily unavailable. `Retry-After` gives the pause where it is known.',
  504: 'The upstream or the request took too long.',
};

const SHAPES = {
  openai: { schema: OpenAiFailure, envelope: openAiEnvelope },
  anthropic: {
    schema: AnthropicFailure,
    envelope: (failed: Failure) => anthropicEnvelope(failed, '0198…'),
  },
  application: { schema: ApplicationFailure, envelope: applicationEnvelope },
} as const satisfies Readonly<Record<ErrorShape, object>>;

/** The classes that describe failures in the document. */
export const FAILURE_SCHEMAS = Object.values(SHAPES).map(({ schema }) => schema);

/**
 * Adds a response for each status that an operation can fail with. It has one example for each
 * code, which the document holds once for each envelope.
 * @throws RangeError for a code that no area declares
 */
export const addFailures = (
  document: OpenAPIObject,
  operations: readonly Located[],
  codes: readonly FailureCode[],
): void => {
  const known = new Map(codes.map((code) => [code.code, code]));
  const examples: Record<string, object> = {};
  for (const { path, method, operation } of operations) {
    const shape = shapeOf(path, operation);
    const { schema, envelope } = SHAPES[shape];
    const $ref = getSchemaPath(schema);
    for (const name of new Set([...gatewayCodes(method, operation), ...takeCodes(operation)])) {
      const code = known.get(name);
      if (!code) throw new RangeError(`${operation.operationId}: no area declares ${name}`);
      const description = DESCRIPTIONS[code.status];
      if (description === undefined) throw new RangeError(`status ${code.status}: no description`);
      const example = `${shape}_${name}`;
      const message = description.replaceAll('`', '');
      examples[example] ??= { value: envelope(failure({ ...code, message })) };
      const responses = operation.responses as Record<string, FailureResponse | undefined>;
      const response = (responses[code.status] ??= {
        description,
        content: { 'application/json': { schema: { $ref }, examples: {} } },
      });
      response.content['application/json'].examples[name] = {
        $ref: `#/components/examples/${example}`,
      };
    }
  }
  document.components = { ...document.components, examples };
};

interface FailureResponse {
  readonly description: string;
  readonly content: {
    readonly 'application/json': {
      readonly schema: { readonly $ref: string };
      readonly examples: Record<string, { readonly $ref: string }>;
    };
  };
}

type Extended = Operation & Record<string, unknown>;

/** Removes the extension that names the envelope of the route. */
const shapeOf = (path: string, operation: Operation): ErrorShape => {
  const extended = operation as Extended;
  const declared = extended[SHAPE_EXTENSION] as ErrorShape | undefined;
  // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- an extension of our own
  delete extended[SHAPE_EXTENSION];
  return declared ?? errorShapeOf({ url: path });
};

/** Removes the extensions that name the codes of the route. */
const takeCodes = (operation: Operation): readonly string[] => {
  const extended = operation as Extended;
  const names = Object.keys(extended).filter((name) => name.startsWith(CODE_EXTENSION));
  // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- extensions of our own
  for (const name of names) delete extended[name];
  return names.map((name) => name.slice(CODE_EXTENSION.length));
};

const EVERY_ROUTE = ['internal_error', 'store_unavailable'];
const WITH_CREDENTIALS = [
  'missing_credentials',
  'invalid_api_key',
  'credential_not_accepted',
  'rate_limit_exceeded',
];
const WITH_BODY = [
  'invalid_request',
  'invalid_json',
  'body_too_complex',
  'body_too_large',
  'unsupported_media_type',
  'request_timeout',
  'too_many_bodies',
  'draining',
  'contention',
  'log_foreign',
  'unknown_outcome',
];
const AS_OF = ['invalid_as_of', 'history_missing'];

/** A request of any method but GET may have a body, and every parameter in a path is decoded. */
const gatewayCodes = (
  method: string,
  { security = [], parameters = [] }: Operation,
): readonly string[] => {
  const read = parameters.flatMap((one) => ('in' in one && one.in !== 'header' ? [one] : []));
  const isChecked = read.some(
    ({ in: place, schema = {} }) =>
      place === 'query' || '$ref' in schema || Object.keys(schema).some((key) => key !== 'type'),
  );
  return [
    ...EVERY_ROUTE,
    ...(security.length > 0 ? WITH_CREDENTIALS : []),
    ...(method === 'get' ? ['read_model_lagging'] : WITH_BODY),
    ...(isChecked ? ['invalid_request'] : []),
    ...(read.some(({ in: place }) => place === 'path') ? ['bad_url'] : []),
    ...(read.some(({ name }) => name === 'asOf') ? AS_OF : []),
  ];
};
