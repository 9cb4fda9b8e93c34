import { isIPv4, isIPv6 } from 'node:net';

const GROUPS = 8;
/** A provider assigns at least a /64 to each customer, so its addresses count as one. */
const NETWORK_GROUPS = 4;
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * The key that failed attempts are counted by: an IPv4 address, or the /64 of an IPv6 address.
 * @param address of the socket, or the one that a trusted proxy forwards
 */
export const throttleAddress = (address: string): string => {
  const [bare = ''] = address.split('%', 1);
  const mapped = MAPPED.exec(bare)?.[1];
  if (mapped !== undefined) return mapped;
  if (isIPv4(bare) || !isIPv6(bare)) return bare;
  return `${expand(bare).slice(0, NETWORK_GROUPS).join(':')}::/64`;
};

/** The groups in hex without leading zeros. */
const expand = (address: string): readonly string[] => {
  const [head = [], tail] = address.split('::', 2).map(groupsOf);
  if (tail === undefined) return [...head].map(plain);
  const gap = Array.from({ length: GROUPS - head.length - tail.length }, () => '0');
  return [...head, ...gap, ...tail].map(plain);
};

const groupsOf = (part: string): readonly string[] => (part === '' ? [] : part.split(':'));

const plain = (group: string): string => group.toLowerCase().replace(/^0+(?=.)/, '');
