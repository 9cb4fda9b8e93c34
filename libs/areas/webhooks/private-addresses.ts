import { DomainError } from '#platform/kernel/domain-error.js';
import { isPrivateHost, lookupOfPublicHosts } from '#platform/network/public-addresses.js';
import { PRIVATE_SETTING } from './webhooks.settings.js';
import { reject, type WebhooksErrorCode } from './webhooks.errors.js';

const notAllowed = (what: string): string =>
  `${what}; the operator can allow it with ${PRIVATE_SETTING}=allow`;

/** @throws DomainError `webhook_url_not_allowed` for a fault that needs no name server */
export const demandPublicUrl = (text: string, allowsPrivate: boolean): URL => {
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') {
    reject('webhook_url_not_allowed', 'the URL of a webhook has no user and no password');
  }
  if (allowsPrivate) return url;
  if (url.protocol !== 'https:') {
    reject('webhook_url_not_allowed', notAllowed('a webhook is called by https only'));
  }
  if (isPrivateHost(url.hostname)) {
    reject('webhook_url_not_allowed', notAllowed(`${url.hostname} is a private address`));
  }
  return url;
};

/** Rejects connections to a name with a private address. */
export const publicLookup = lookupOfPublicHosts((hostname, address) => {
  const detail = notAllowed(`${hostname} has the private address ${address}`);
  return new DomainError<WebhooksErrorCode>('webhook_url_not_allowed', detail);
});
