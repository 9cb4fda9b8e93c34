/**
 * Addresses of both families as numbers of 128 bits; an IPv4 address is its mapped IPv6 address
 * (RFC 4291). So `::/0` has every address.
 */

export interface IpRange {
  readonly address: bigint;
  /** Of the leading bits that count. */
  readonly bits: number;
}

const BITS = 128;
const MAPPED = 0xffff_0000_0000n;
const MAPPED_BITS = 96;
const GROUPS = 8;

/** Null for a text that is no address. */
export const addressOf = (text: string): bigint | null => {
  const v4 = v4Of(text);
  return v4 === null ? v6Of(text) : MAPPED + v4;
};

/** An address and its bits, such as `192.0.2.0/24`; null for another text. */
export const ipRangeOf = (text: string): IpRange | null => {
  const [, address = '', length = ''] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  const first = v4Of(address) === null ? 0 : MAPPED_BITS;
  const [number, bits] = [addressOf(address), first + Number(length)];
  return number === null || bits > BITS ? null : { address: number, bits };
};

export const hasAddress = ({ address, bits }: IpRange, one: bigint): boolean =>
  (address ^ one) >> BigInt(BITS - bits) === 0n;

/** Whether every address of the inner range is in the outer one. */
export const hasRange = (outer: IpRange, inner: IpRange): boolean =>
  outer.bits <= inner.bits && hasAddress(outer, inner.address);

const v4Of = (text: string): bigint | null => {
  const parts = text.split('.');
  const isAddress = parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part));
  if (!isAddress || parts.some((part) => Number(part) > 255)) return null;
  return parts.reduce((sum, part) => (sum << 8n) + BigInt(part), 0n);
};

const v6Of = (text: string): bigint | null => {
  const [, head = text, dotted] = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text) ?? [];
  const last = dotted === undefined ? null : v4Of(dotted);
  if (dotted !== undefined && last === null) return null;
  const tail =
    last === null ? '' : `${(last >> 16n).toString(16)}:${(last & 0xffffn).toString(16)}`;
  const halves = (head + tail).split('::');
  const [left = [], right] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const count = left.length + (right?.length ?? 0);
  const isComplete = right === undefined ? count === GROUPS : count < GROUPS;
  if (halves.length > 2 || !isComplete) return null;
  const zeros = Array.from({ length: GROUPS - count }, () => '0');
  const groups = [...left, ...zeros, ...(right ?? [])];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return null;
  return groups.reduce((sum, group) => (sum << 16n) + BigInt(`0x${group}`), 0n);
};
