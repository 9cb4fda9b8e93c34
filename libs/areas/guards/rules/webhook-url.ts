import { isPrivateHost } from '#platform/network/public-addresses.js';

/** Why a webhook cannot have this address; null: it can. */
export const faultOfUrl = (text: string, allowsPrivate: boolean): string | null => {
  if (!URL.canParse(text)) return 'expected a URL';
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return 'expected no user and no password';
  if (allowsPrivate) return /^https?:$/.test(url.protocol) ? null : 'expected http: or https:';
  if (url.protocol !== 'https:') return 'expected https:, or allow_private: true';
  return isPrivateHost(url.hostname) ? 'expected a public host, or allow_private: true' : null;
};
