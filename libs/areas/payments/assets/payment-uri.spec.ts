import { describe, expect, it } from '@jest/globals';
import { currencies, toCoins, toUnits, unitsFor, worthOf } from './currency.js';
import { paymentUri } from './payment-uri.js';

const to = (address: string) =>
  ({ kind: 'address', address, fingerprint: '00'.repeat(16), index: 0 }) as const;

const EVM = '0x9858EfFD232B4033E47d90003D41EC34EcaEda94';
const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const USDT = '0xdAC17F958D2ee523a2206206994597C13D831ec7';
const RECIPIENT = 'mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN';
const REFERENCE = '82ZJ7nbGpixjeDCmEhUcmwXYfvurzAgGdtSMuHnUgyny';

describe('a payment URI', () => {
  it.each([
    ['BTC', to('bc1qxyz'), 76_923n, 'bitcoin:bc1qxyz?amount=0.00076923&label=Quipu'],
    ['LTC', to('ltc1qxyz'), 100_000_000n, 'litecoin:ltc1qxyz?amount=1&label=Quipu'],
    ['DOGE', to('DBus'), 12_350_000_000n, 'dogecoin:DBus?amount=123.5&label=Quipu'],
    ['BCH', to('bitcoincash:qqy'), 1n, 'bitcoincash:qqy?amount=0.00000001&label=Quipu'],
    ['ETH', to(EVM), 10n ** 16n, `ethereum:${EVM}@1?value=10000000000000000`],
    ['USDC', to(EVM), 50_000_000n, `ethereum:${USDC}@1/transfer?address=${EVM}&uint256=50000000`],
    ['USDT', to(EVM), 1n, `ethereum:${USDT}@1/transfer?address=${EVM}&uint256=1`],
    [
      'SOL',
      { kind: 'reference', recipient: RECIPIENT, reference: REFERENCE },
      10_000_000n,
      `solana:${RECIPIENT}?amount=0.01&reference=${REFERENCE}&label=Quipu`,
    ],
  ] as const)('for %s', (code, target, units, uri) => {
    expect(paymentUri(currencies[code], target, units)).toBe(uri);
  });
});

describe('an amount due', () => {
  it('is rounded up to the smallest unit', () => {
    expect(unitsFor(currencies.BTC, 50_000_000n, 65_000_000_000n)).toBe(76_924n);
    expect(unitsFor(currencies.BTC, 65_000n, 65_000_000_000n)).toBe(100n);
    expect(unitsFor(currencies.USDC, 1_000_000n, 999_999n)).toBe(1_000_002n);
  });

  it('in ether has eight decimals', () => {
    const due = unitsFor(currencies.ETH, 50_000_000n, 3_333_330_000n);
    expect(due).toBe(15_000_020_000_000_000n);
    expect(toCoins(currencies.ETH, due)).toBe('0.01500002');
  });

  it('is worth no more than the invoice', () => {
    const due = unitsFor(currencies.DOGE, 5_000_000n, 81_234n);
    expect(worthOf(currencies.DOGE, due, 81_234n)).toBeGreaterThanOrEqual(5_000_000n);
    expect(worthOf(currencies.DOGE, due - 1n, 81_234n)).toBeLessThan(5_000_000n);
  });
});

describe('coins', () => {
  it.each([
    ['BTC', 0n, '0'],
    ['BTC', 1n, '0.00000001'],
    ['BTC', 2_100_000_000_000_000n, '21000000'],
    ['ETH', 1n, '0.000000000000000001'],
    ['USDT', 1_500_000n, '1.5'],
  ] as const)('of %s: %d units are %s', (code, units, coins) => {
    expect(toCoins(currencies[code], units)).toBe(coins);
    expect(toUnits(currencies[code], coins)).toBe(units);
  });

  it.each(['', '1e-8', '-1', '.5', '1.', '0x1', '1.000000001', ' 1', '01'])(
    'are not %j',
    (text) => {
      expect(() => toUnits(currencies.BTC, text)).toThrow(RangeError);
    },
  );
});
