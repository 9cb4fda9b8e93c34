import { z } from 'zod';
import { type CryptoNetwork } from '#events/payments/crypto.vocabulary.js';
import { defineSettings, variable, wholeNumber } from '#platform/runtime/areas/settings.js';
import { type AccountKey, AccountKeyError, readAccountKey } from './assets/account-key.js';
import { type KeyedNetwork } from './assets/account-key.js';
import { isSolanaAddress } from './assets/solana-address.js';
import { dollars } from './assets/currency.js';
import { type GapLimits } from './invoices/deposit-key.decider.js';
import { readNodeAddress, type NodeAddress } from './chains/node-address.js';
import { type PriceLimits } from './prices/prices.js';
import { type PriceSourceAddress, readPriceSources } from './prices/price-source-address.js';

export interface PaymentsSettings {
  /** By network; a network without a key cannot be paid on. */
  readonly keys: Readonly<Partial<Record<KeyedNetwork, AccountKey>>>;
  /** The account that payments in SOL go to; null: none. */
  readonly solanaRecipient: string | null;
  /** Where each chain is watched. */
  readonly nodes: Readonly<Partial<Record<CryptoNetwork, NodeAddress>>>;
  readonly confirmations: Readonly<Record<CryptoNetwork, number>>;
  readonly priceSources: readonly PriceSourceAddress[];
  readonly priceLimits: PriceLimits;
  readonly invoices: {
    /** The price is valid for this time. */
    readonly validMs: number;
    /** The chain is watched for this time after that. */
    readonly watchedMs: number;
    readonly amountMin: bigint;
    readonly amountMax: bigint;
    /** Of an account, that wait for their payment. */
    readonly openMax: number;
    readonly toleranceBasisPoints: number;
    readonly gap: GapLimits;
  };
  readonly pollMs: number;
  /** Incoming notifications are signed with it; null: none are accepted. */
  readonly notifySecret: Buffer | null;
  /** Of the endpoint that Stripe sends events to; null: none are accepted. */
  readonly stripeSecret: string | null;
}

export const PAYMENTS_SETTINGS = Symbol('PaymentsSettings');

/** The message never repeats the value: it may contain a secret. */
const readAs = <Value>(read: (text: string) => Value) =>
  z
    .string()
    .transform((text, context): Value => {
      try {
        return read(text);
      } catch (error) {
        if (!(error instanceof AccountKeyError || error instanceof RangeError)) throw error;
        context.addIssue({ code: 'custom', message: error.message });
        return z.NEVER;
      }
    })
    .optional();

const key = (network: KeyedNetwork, meaning: string) =>
  variable(
    readAs((text) => readAccountKey(text, network)),
    meaning,
  );

const node = (network: CryptoNetwork, meaning: string) =>
  variable(
    readAs((text) => readNodeAddress(text, network)),
    meaning,
  );

const solanaAddress = readAs((text) => {
  if (isSolanaAddress(text)) return text;
  throw new RangeError('expected the address of an account of Solana');
});

const notifySecret = readAs((text) => {
  const [, encoded = ''] = /^whsec_([A-Za-z0-9+/]{32,88}={0,2})$/.exec(text) ?? [];
  const secret = Buffer.from(encoded, 'base64');
  if (secret.length >= 24 && secret.length <= 64) return secret;
  throw new RangeError('expected whsec_ and 24 to 64 bytes in base64');
});

const Confirmations = (otherwise: number) => wholeNumber(1, 1_000).default(otherwise);
const confirmations = (otherwise: number, name: string) =>
  variable(Confirmations(otherwise), `the confirmations of a payment in ${name}`);

const KEY = 'the extended public key of the account (`m/';
const BITCOIN_NODE =
  '`esplora:<url>`, `bitcoind:<url of a watch-only wallet>` or `simulated:<file>`';

/** The variables whose absence makes a currency unavailable, by network. */
export const NETWORK_VARIABLES: Readonly<
  Record<CryptoNetwork, { readonly target: string; readonly node: string }>
> = {
  bitcoin: { target: 'QUIPU_CRYPTO_BTC_XPUB', node: 'QUIPU_CRYPTO_BTC_NODE' },
  litecoin: { target: 'QUIPU_CRYPTO_LTC_XPUB', node: 'QUIPU_CRYPTO_LTC_NODE' },
  'bitcoin-cash': { target: 'QUIPU_CRYPTO_BCH_XPUB', node: 'QUIPU_CRYPTO_BCH_NODE' },
  dogecoin: { target: 'QUIPU_CRYPTO_DOGE_XPUB', node: 'QUIPU_CRYPTO_DOGE_NODE' },
  ethereum: { target: 'QUIPU_CRYPTO_ETH_XPUB', node: 'QUIPU_CRYPTO_ETH_NODE' },
  solana: { target: 'QUIPU_CRYPTO_SOL_ADDRESS', node: 'QUIPU_CRYPTO_SOL_NODE' },
};

const variables = {
  QUIPU_CRYPTO_BTC_XPUB: key('bitcoin', `${KEY}84'/0'/0'\`) for BTC: zpub or xpub`),
  QUIPU_CRYPTO_LTC_XPUB: key('litecoin', `${KEY}84'/2'/0'\`) for LTC: zpub, Ltub or xpub`),
  QUIPU_CRYPTO_BCH_XPUB: key('bitcoin-cash', `${KEY}44'/145'/0'\`) for BCH: xpub`),
  QUIPU_CRYPTO_DOGE_XPUB: key('dogecoin', `${KEY}44'/3'/0'\`) for DOGE: dgub or xpub`),
  QUIPU_CRYPTO_ETH_XPUB: key('ethereum', `${KEY}44'/60'/0'\`) for ETH, USDT and USDC: xpub`),
  QUIPU_CRYPTO_SOL_ADDRESS: variable(solanaAddress, 'the account that receives payments in SOL'),
  QUIPU_CRYPTO_BTC_NODE: node('bitcoin', `where Bitcoin is watched: ${BITCOIN_NODE}`),
  QUIPU_CRYPTO_LTC_NODE: node('litecoin', 'where Litecoin is watched, likewise'),
  QUIPU_CRYPTO_BCH_NODE: node('bitcoin-cash', 'where Bitcoin Cash is watched, likewise'),
  QUIPU_CRYPTO_DOGE_NODE: node('dogecoin', 'where Dogecoin is watched, likewise'),
  QUIPU_CRYPTO_ETH_NODE: node(
    'ethereum',
    'where Ethereum is watched: `evm:<url of a JSON-RPC server>` or `simulated:<file>`',
  ),
  QUIPU_CRYPTO_SOL_NODE: node(
    'solana',
    'where Solana is watched: `solana:<url of a JSON-RPC server>` or `simulated:<file>`',
  ),
  QUIPU_CRYPTO_BTC_CONFIRMATIONS: confirmations(2, 'BTC'),
  QUIPU_CRYPTO_LTC_CONFIRMATIONS: confirmations(6, 'LTC'),
  QUIPU_CRYPTO_BCH_CONFIRMATIONS: confirmations(6, 'BCH'),
  QUIPU_CRYPTO_DOGE_CONFIRMATIONS: confirmations(20, 'DOGE'),
  QUIPU_CRYPTO_ETH_CONFIRMATIONS: confirmations(12, 'ETH, USDT and USDC'),
  QUIPU_CRYPTO_PRICES: variable(
    z
      .string()
      .default('kraken,coinbase,coingecko')
      .transform((text, context): readonly PriceSourceAddress[] => {
        try {
          return readPriceSources(text);
        } catch (error) {
          if (!(error instanceof RangeError)) throw error;
          context.addIssue({ code: 'custom', message: error.message });
          return z.NEVER;
        }
      }),
    'the sources of prices, with commas between them: `kraken`, `coinbase`, `coingecko`, ' +
      '`file:<file>` or the URL of a price document; more than half must have a fresh price',
    '`kraken,coinbase,coingecko`',
  ),
  QUIPU_CRYPTO_PRICE_SECONDS: variable(
    wholeNumber(1, 86_400).default(120),
    'the age at which a price is no longer fresh',
  ),
  QUIPU_CRYPTO_PRICE_SPREAD_BP: variable(
    wholeNumber(0, 10_000).default(200),
    'how far the sources may differ, in hundredths of a percent of their median',
  ),
  QUIPU_CRYPTO_INVOICE_SECONDS: variable(
    wholeNumber(60, 86_400).default(900),
    'how long the price of a crypto invoice is valid',
  ),
  QUIPU_CRYPTO_WATCH_SECONDS: variable(
    wholeNumber(0, 2_592_000).default(86_400),
    'how long an expired crypto invoice is watched for late payments',
  ),
  QUIPU_CRYPTO_USD_MIN: variable(
    wholeNumber(1, 1_000_000).default(5),
    'the least amount of a crypto invoice, in dollars',
  ),
  QUIPU_CRYPTO_USD_MAX: variable(
    wholeNumber(1, 1_000_000).default(10_000),
    'the largest amount of a crypto invoice, in dollars',
  ),
  QUIPU_CRYPTO_OPEN_MAX: variable(
    wholeNumber(1, 1_000).default(10),
    'crypto invoices of an account that wait for their payment',
  ),
  QUIPU_CRYPTO_UNPAID_MAX: variable(
    wholeNumber(1, 1_000).default(20),
    'addresses of a wallet that an account may have after the last one with a payment',
  ),
  QUIPU_CRYPTO_GAP_MAX: variable(
    wholeNumber(1, 10_000).default(100),
    'addresses of a wallet after the last one with a payment, of all accounts; the gap limit of ' +
      'the wallet is above it',
  ),
  QUIPU_CRYPTO_TOLERANCE_BP: variable(
    wholeNumber(0, 500).default(0),
    'by how much a payment may miss the amount due, in hundredths of a percent',
  ),
  QUIPU_CRYPTO_POLL_SECONDS: variable(
    wholeNumber(1, 3_600).default(15),
    'how often the chains are looked at',
  ),
  QUIPU_CRYPTO_NOTIFY_SECRET: variable(
    notifySecret,
    'signs notifications of a payment processor or node: `whsec_` and base64',
  ),
  QUIPU_STRIPE_WEBHOOK_SECRET: variable(
    z
      .string()
      .regex(/^whsec_[A-Za-z0-9+/=_-]{16,200}$/, 'expected the signing secret of an endpoint')
      .optional(),
    'the signing secret of the endpoint `/api/v1/billing/stripe_events`, as Stripe shows it; ' +
      'without it no event of Stripe is accepted',
  ),
} as const;

const PRICES_TIMEOUT_MS = 5_000;
/** Solana has two levels: in a block, and final. */
const SOLANA_FINAL = 32;

export const paymentsSettings = defineSettings({
  token: PAYMENTS_SETTINGS,
  variables,
  read: (values): PaymentsSettings => ({
    keys: present({
      bitcoin: values.QUIPU_CRYPTO_BTC_XPUB,
      litecoin: values.QUIPU_CRYPTO_LTC_XPUB,
      'bitcoin-cash': values.QUIPU_CRYPTO_BCH_XPUB,
      dogecoin: values.QUIPU_CRYPTO_DOGE_XPUB,
      ethereum: values.QUIPU_CRYPTO_ETH_XPUB,
    }),
    solanaRecipient: values.QUIPU_CRYPTO_SOL_ADDRESS ?? null,
    nodes: present({
      bitcoin: values.QUIPU_CRYPTO_BTC_NODE,
      litecoin: values.QUIPU_CRYPTO_LTC_NODE,
      'bitcoin-cash': values.QUIPU_CRYPTO_BCH_NODE,
      dogecoin: values.QUIPU_CRYPTO_DOGE_NODE,
      ethereum: values.QUIPU_CRYPTO_ETH_NODE,
      solana: values.QUIPU_CRYPTO_SOL_NODE,
    }),
    confirmations: {
      bitcoin: values.QUIPU_CRYPTO_BTC_CONFIRMATIONS,
      litecoin: values.QUIPU_CRYPTO_LTC_CONFIRMATIONS,
      'bitcoin-cash': values.QUIPU_CRYPTO_BCH_CONFIRMATIONS,
      dogecoin: values.QUIPU_CRYPTO_DOGE_CONFIRMATIONS,
      ethereum: values.QUIPU_CRYPTO_ETH_CONFIRMATIONS,
      solana: SOLANA_FINAL,
    },
    priceSources: values.QUIPU_CRYPTO_PRICES,
    priceLimits: {
      ageMsMax: values.QUIPU_CRYPTO_PRICE_SECONDS * 1_000,
      spreadBasisPointsMax: values.QUIPU_CRYPTO_PRICE_SPREAD_BP,
      timeoutMs: PRICES_TIMEOUT_MS,
    },
    invoices: {
      validMs: values.QUIPU_CRYPTO_INVOICE_SECONDS * 1_000,
      watchedMs: values.QUIPU_CRYPTO_WATCH_SECONDS * 1_000,
      amountMin: dollars(values.QUIPU_CRYPTO_USD_MIN),
      amountMax: dollars(values.QUIPU_CRYPTO_USD_MAX),
      openMax: values.QUIPU_CRYPTO_OPEN_MAX,
      toleranceBasisPoints: values.QUIPU_CRYPTO_TOLERANCE_BP,
      gap: {
        gapMax: values.QUIPU_CRYPTO_GAP_MAX,
        gapOfAccountMax: values.QUIPU_CRYPTO_UNPAID_MAX,
      },
    },
    pollMs: values.QUIPU_CRYPTO_POLL_SECONDS * 1_000,
    notifySecret: values.QUIPU_CRYPTO_NOTIFY_SECRET ?? null,
    stripeSecret: values.QUIPU_STRIPE_WEBHOOK_SECRET ?? null,
  }),
});

/** Without the entries that are undefined. */
const present = <Key extends string, Value>(
  entries: Readonly<Record<Key, Value | undefined>>,
): Partial<Record<Key, Value>> =>
  // The names are the names of the argument.
  Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined)) as Partial<
    Record<Key, Value>
  >;
