import { type IncomingHttpHeaders } from 'node:http';
import { ApiHeader } from '@nestjs/swagger';
import { faultText } from '#platform/kernel/faults.js';
import { HttpFailure } from '../errors/http-failure.js';

const NAME = 'x-session-id';
const LENGTH_MAX = 256;

/**
 * The conversation that a request belongs to; undefined for a request that does not say.
 * @throws HttpFailure 400 that names the header
 */
export const sessionIdOf = ({ [NAME]: sent }: IncomingHttpHeaders): string | undefined => {
  if (sent === undefined || sent === '') return undefined;
  if (typeof sent === 'string' && sent.length <= LENGTH_MAX) return sent;
  throw new HttpFailure({
    status: 400,
    code: 'invalid_request',
    message: faultText(NAME, `at most ${LENGTH_MAX} characters`, sent),
    param: NAME,
  });
};

/** Documents a route whose requests may belong to a conversation. */
export const SessionDocs = (): MethodDecorator =>
  ApiHeader({
    name: 'X-Session-Id',
    required: false,
    description:
      'A name for the conversation. For ten minutes its requests prefer the rig and the key that ' +
      'answered it, whose cache has its prompt. `prompt_cache_key` of the body goes before it; ' +
      'without both, the opening messages decide.',
    schema: { type: 'string', maxLength: LENGTH_MAX },
  });
