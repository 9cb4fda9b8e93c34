const USD = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 12,
});

/** With every digit that the gateway gave: nothing is rounded. */
export const usd = (amount: number | string): string =>
  USD.format(amount as Intl.StringNumericLiteral);

/** Of micro-dollars in decimal. */
export const usdOfMicro = (amount: string): string => usd(`${amount}E-6`);

const WHOLE = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

export const count = (value: number): string => WHOLE.format(value);

/** An instant of the gateway, which is in UTC, in the form of its lists. */
export const instant = (at: string): string => at.replace('T', ' ').replace('Z', '');

/** An instant in seconds since the Unix epoch, in the same form. */
export const instantOfSeconds = (seconds: number): string =>
  instant(new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z'));

const BYTE_UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
const BYTES_PER_UNIT = 1_024;

export const bytes = (size: number): string => {
  const power = size < 1 ? 0 : Math.floor(Math.log2(size) / Math.log2(BYTES_PER_UNIT));
  const unit = Math.min(power, BYTE_UNITS.length - 1);
  return `${count(size / BYTES_PER_UNIT ** unit)} ${BYTE_UNITS[unit] ?? ''}`;
};
