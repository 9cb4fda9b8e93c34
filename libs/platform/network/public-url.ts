import { isPrivateHost } from './public-addresses.js';

const URL_LENGTH_MAX = 8_192;
const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:']);
/** Parsers of URLs disagree about the host where these occur. */
const AMBIGUOUS = /[\s\\\p{Cc}]/u;

/**
 * Whether a URL names a host of the public Internet by its spelling: with http or https, without
 * credentials, and no private address in any of the forms that a host may have.
 */
export const isPublicUrl = (text: string): boolean => {
  if (text.length > URL_LENGTH_MAX || AMBIGUOUS.test(text)) return false;
  const url = URL.parse(text);
  if (!url || !SCHEMES.has(url.protocol)) return false;
  return url.username === '' && url.password === '' && !isPrivateHost(url.hostname);
};
