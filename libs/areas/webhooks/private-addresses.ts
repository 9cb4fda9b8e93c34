import { lookup as resolve } from 'node:dns';
import { BlockList, isIP, isIPv4, isIPv6, type LookupFunction } from 'node:net';
import { DomainError } from '#platform/kernel/domain-error.js';
import { PRIVATE_SETTING } from './webhooks.settings.js';
import { reject, type WebhooksErrorCode } from './webhooks.errors.js';

/** Addresses that no host of the public Internet has (IANA special-purpose registries). */
const SPECIAL_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
] as const;

/** Only 2000::/3 is public. Within it, these lead elsewhere or to addresses of version 4. */
const SPECIAL_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'] as const;
const PUBLIC_V6 = ['2000::/3'] as const;

const listOf = (ranges: readonly string[], version: 'ipv4' | 'ipv6'): BlockList => {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    list.addSubnet(address, Number(bits), version);
  }
  return list;
};

const specialV4 = listOf(SPECIAL_V4, 'ipv4');
const specialV6 = listOf(SPECIAL_V6, 'ipv6');
const publicV6 = listOf(PUBLIC_V6, 'ipv6');

/** Whether a host of the public Internet can have the address. */
export const isPublicAddress = (address: string): boolean => {
  if (isIPv4(address)) return !specialV4.check(address, 'ipv4');
  if (!isIPv6(address)) return false;
  return publicV6.check(address, 'ipv6') && !specialV6.check(address, 'ipv6');
};

const notAllowed = (what: string): string =>
  `${what}; the operator can allow it with ${PRIVATE_SETTING}=allow`;

/** @throws DomainError `webhook_url_not_allowed` for what is wrong without asking a name server */
export const demandPublicUrl = (text: string, allowsPrivate: boolean): URL => {
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') {
    reject('webhook_url_not_allowed', 'the URL of a webhook has no user and no password');
  }
  if (allowsPrivate) return url;
  if (url.protocol !== 'https:') {
    reject('webhook_url_not_allowed', notAllowed('a webhook is called by https only'));
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isPrivate = isIP(host) === 0 ? isLocalName(host) : !isPublicAddress(host);
  if (isPrivate) reject('webhook_url_not_allowed', notAllowed(`${host} is a private address`));
  return url;
};

const isLocalName = (host: string): boolean =>
  /(^|\.)(localhost|local|internal|lan|home\.arpa)\.?$/i.test(host) || !host.includes('.');

/**
 * Resolves names for connections, and rejects a name with a private address. The connection goes to
 * the address that was checked, so that a name cannot change in between.
 */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  resolve(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) {
      callback(error, []);
      return;
    }
    const found = addresses.find(({ address }) => !isPublicAddress(address));
    if (found) {
      const detail = notAllowed(`${hostname} has the private address ${found.address}`);
      callback(new DomainError<WebhooksErrorCode>('webhook_url_not_allowed', detail), []);
      return;
    }
    const [first] = addresses;
    if (options.all === true) callback(null, addresses);
    else callback(null, first?.address ?? '', first?.family);
  });
};
