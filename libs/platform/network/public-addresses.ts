import { lookup as resolve } from 'node:dns';
import { BlockList, isIP, isIPv4, isIPv6, type LookupFunction } from 'node:net';

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

/** Whether the host of a URL is private by its spelling: an address, or a local name. */
export const isPrivateHost = (urlHostname: string): boolean => {
  const host = urlHostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 ? isLocalName(host) : !isPublicAddress(host);
};

const isLocalName = (host: string): boolean =>
  /(^|\.)(localhost|local|internal|lan|home\.arpa)\.?$/i.test(host) || !host.includes('.');

/**
 * Resolves names for connections, and rejects a name with a private address. The connection goes to
 * the address that was checked, so that a name cannot change in between.
 * @param rejection the error for a name and its private address
 */
export const lookupOfPublicHosts =
  (rejection: (hostname: string, address: string) => Error): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) {
        callback(error, []);
        return;
      }
      const found = addresses.find(({ address }) => !isPublicAddress(address));
      if (found) {
        callback(rejection(hostname, found.address), []);
        return;
      }
      const [first] = addresses;
      if (options.all === true) callback(null, addresses);
      else callback(null, first?.address ?? '', first?.family);
    });
  };
