import { type OpenAPIObject } from '@nestjs/swagger';
import { type Located } from './failure-responses.js';

const header = (description: string, example: string) => ({
  description,
  schema: { type: 'string', example },
});

/** The headers that are the same on all routes, by their names. */
const HEADERS = {
  'x-request-id': header('The id of the request, and of its events.', '0198…'),
  'retry-after': header('Seconds until a repeat can succeed, where they are known.', '2'),
  'x-ratelimit-limit-requests': header('Requests in a minute, where they are limited.', '600'),
  'x-ratelimit-remaining-requests': header('Requests that are left of them.', '0'),
  'x-ratelimit-reset-requests': header('Until all are left again.', '1m0s'),
  'x-ratelimit-limit-tokens': header('Tokens in a minute, where they are limited.', '60000'),
  'x-ratelimit-remaining-tokens': header('Tokens that are left of them.', '0'),
  'x-ratelimit-reset-tokens': header('Until all are left again.', '8s'),
} as const;

type HeaderName = keyof typeof HEADERS;

const RATES = (Object.keys(HEADERS) as HeaderName[]).filter((name) => name.includes('ratelimit'));

const namesFor = (status: string): readonly HeaderName[] => {
  switch (status) {
    case '429':
      return ['x-request-id', 'retry-after', ...RATES];
    case '503':
      return ['x-request-id', 'retry-after'];
    default:
      return ['x-request-id'];
  }
};

/** Adds to each response of the operations the headers that its status has on every route. */
export const addHeaders = (document: OpenAPIObject, operations: readonly Located[]): void => {
  for (const { operation } of operations) {
    for (const [status, response] of Object.entries(operation.responses)) {
      if (!response || '$ref' in response) continue;
      const headers = { ...response.headers };
      for (const name of namesFor(status)) {
        headers[name] ??= { $ref: `#/components/headers/${name}` };
      }
      response.headers = headers;
    }
  }
  document.components = { ...document.components, headers: { ...HEADERS } };
};
