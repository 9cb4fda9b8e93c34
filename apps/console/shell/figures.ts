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
