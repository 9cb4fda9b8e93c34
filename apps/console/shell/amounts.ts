const USD = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 12,
});

/** With every digit that the gateway gave: nothing is rounded. */
export const usd = (amount: number | string): string =>
  USD.format(amount as Intl.StringNumericLiteral);

const WHOLE = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

export const count = (value: number): string => WHOLE.format(value);
