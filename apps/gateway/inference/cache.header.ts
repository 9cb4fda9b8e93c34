import { type IncomingHttpHeaders } from 'node:http';
import { ApiHeader } from '@nestjs/swagger';
import { CACHE_SECONDS_MAX } from '#events/identity/api-key.events.js';
import { faultText } from '#platform/kernel/faults.js';
import { HttpFailure } from '../errors/http-failure.js';

const NAME = 'x-quipu-cache';

/**
 * How long the answer is to be kept; undefined for a request that does not say.
 * @throws HttpFailure 400 that names the header
 */
export const cacheSecondsOf = ({ [NAME]: sent }: IncomingHttpHeaders): number | undefined => {
  if (sent === undefined) return undefined;
  const seconds = typeof sent === 'string' && /^\d{1,6}$/.test(sent) ? Number(sent) : Infinity;
  if (seconds <= CACHE_SECONDS_MAX) return seconds;
  throw new HttpFailure({
    status: 400,
    code: 'invalid_request',
    message: faultText(NAME, `seconds from 0 to ${CACHE_SECONDS_MAX}`, sent),
    param: NAME,
  });
};

/** Documents a route whose answers can be kept. */
export const CacheDocs = (): MethodDecorator =>
  ApiHeader({
    name: 'X-Quipu-Cache',
    required: false,
    description:
      'Keeps the answer for these seconds: the same request of the account gets it again, as ' +
      'long as model and prices are the same. An answer from the cache has `x-quipu-cache: hit` ' +
      'and `age`. 0: no kept answer. Default: the setting of the API key.',
    schema: { type: 'integer', minimum: 0, maximum: CACHE_SECONDS_MAX },
  });
