import { type CryptoCurrency, type CryptoNetwork } from '#events/payments/crypto.vocabulary.js';
import { divideRoundingUp, MICRO_USD_PER_USD, type MicroUsd } from '#platform/kernel/money.js';
import { withoutTrailing } from '#platform/kernel/trailing.js';

/** The facts of a currency that need no price. */
export interface Currency {
  readonly code: CryptoCurrency;
  readonly network: CryptoNetwork;
  /** The smallest unit is a coin / 10^decimals. */
  readonly decimals: number;
  /**
   * Amounts due are multiples of this number of units. Ether has 18 decimals: with 8, an amount is
   * exact as a number of JSON, and people can type it.
   */
  readonly stepUnits: bigint;
  /** The contract of an ERC-20 token; null for the coin of its network. */
  readonly contract: string | null;
}

const coin = (code: CryptoCurrency, network: CryptoNetwork, decimals: number): Currency => ({
  code,
  network,
  decimals,
  stepUnits: 1n,
  contract: null,
});

/** The chain id of Ethereum, the network of ether and of the tokens (EIP-155). */
export const ETHEREUM_CHAIN_ID = 1;

const token = (code: CryptoCurrency, decimals: number, contract: string): Currency => ({
  ...coin(code, 'ethereum', decimals),
  contract,
});

export const currencies: Readonly<Record<CryptoCurrency, Currency>> = {
  BTC: coin('BTC', 'bitcoin', 8),
  LTC: coin('LTC', 'litecoin', 8),
  BCH: coin('BCH', 'bitcoin-cash', 8),
  DOGE: coin('DOGE', 'dogecoin', 8),
  ETH: { ...coin('ETH', 'ethereum', 18), stepUnits: 10n ** 10n },
  USDT: token('USDT', 6, '0xdAC17F958D2ee523a2206206994597C13D831ec7'),
  USDC: token('USDC', 6, '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'),
  SOL: coin('SOL', 'solana', 9),
};

const unitsPerCoin = ({ decimals }: Currency): bigint => 10n ** BigInt(decimals);

/** The units due for an amount at the price of a coin; rounded up to the step. */
export const unitsFor = (currency: Currency, amount: MicroUsd, priceMicroUsd: MicroUsd): bigint => {
  const exact = divideRoundingUp(amount * unitsPerCoin(currency), priceMicroUsd);
  return divideRoundingUp(exact, currency.stepUnits) * currency.stepUnits;
};

/** The worth of units at the price of a coin; rounded down. */
export const worthOf = (
  currency: Pick<Currency, 'decimals'>,
  units: bigint,
  priceMicroUsd: MicroUsd,
): MicroUsd => (units * priceMicroUsd) / 10n ** BigInt(currency.decimals);

/** Units as a decimal number of coins: exact, without trailing zeros, never with an exponent. */
export const toCoins = ({ decimals }: Pick<Currency, 'decimals'>, units: bigint): string => {
  const digits = units.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = withoutTrailing(digits.slice(digits.length - decimals), '0');
  return fraction === '' ? whole : `${whole}.${fraction}`;
};

const COINS = /^(0|[1-9]\d{0,14})(?:\.(\d{1,30}))?$/;

/**
 * A decimal number of coins in the smallest unit.
 * @throws RangeError unless it is a plain decimal without digits below the smallest unit
 */
export const toUnits = ({ decimals }: Pick<Currency, 'decimals'>, coins: string): bigint => {
  const [, whole = '', fraction = ''] = COINS.exec(coins) ?? [];
  const kept = withoutTrailing(fraction, '0');
  if (whole === '' || kept.length > decimals) {
    throw new RangeError(`not an amount with at most ${decimals} decimals: ${coins}`);
  }
  return BigInt(whole) * 10n ** BigInt(decimals) + BigInt(kept.padEnd(decimals, '0') || '0');
};

/** Whole dollars, for limits in settings. */
export const dollars = (usd: number): MicroUsd => BigInt(usd) * MICRO_USD_PER_USD;
