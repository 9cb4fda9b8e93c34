import type * as OpenId from 'openid-client';
import { reject } from '../identity.errors.js';
import { OpenIdUnavailableError } from './openid-unavailable.error.js';

/** The codes of the library for a provider that is away or answers no JSON. */
const AWAY: readonly unknown[] = [
  // The library knows no code for the failure, such as one of the network.
  undefined,
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
];

/** An error code of OAuth; other text of an answer is not repeated. */
const CODE = /^[a-z_]{1,64}$/;

/**
 * Runs a step of the protocol and says which part of an answer is wrong.
 * @throws DomainError `sign_in_rejected`
 * @throws OpenIdUnavailableError
 */
export const withRejections = async <T>(run: (openid: typeof OpenId) => Promise<T>): Promise<T> => {
  const openid = await import('openid-client');
  try {
    return await run(openid);
  } catch (error) {
    if (error instanceof openid.AuthorizationResponseError) {
      return rejected(`error: the provider answered ${codeOf(error.error)}`);
    }
    if (error instanceof openid.ResponseBodyError && error.status < 500) {
      return rejected(`code: the provider rejected it with ${codeOf(error.error)}`);
    }
    if (error instanceof openid.ClientError && !AWAY.includes(error.code)) {
      return rejected(`id_token: ${claimAtFault(error) ?? 'the signature or form'} is not valid`);
    }
    const cause = error;
    throw new OpenIdUnavailableError('the OpenID provider does not answer', { cause });
  }
};

const rejected = (detail: string): never => reject('sign_in_rejected', detail);

const codeOf = (error: string): string => (CODE.test(error) ? error : 'an error');

/** The library names a wrong claim in the cause of the cause, and a missing one in a sentence. */
const claimAtFault = ({ cause }: Error): string | undefined => {
  if (!(cause instanceof Error)) return undefined;
  const detail: unknown = cause.cause;
  const isNamed = typeof detail === 'object' && detail !== null && 'claim' in detail;
  if (isNamed && typeof detail.claim === 'string') return detail.claim;
  return /^JWT "(\w+)" .*claim missing$/.exec(cause.message)?.[1];
};
