import { type PaymentTarget } from '#events/payments/crypto-invoice.events.js';
import { type Currency, ETHEREUM_CHAIN_ID, toCoins } from './currency.js';

/** Shown by wallets as the payee. */
const LABEL = 'Quipu';

/** The schemes of BIP-21 and of its descendants. A CashAddr contains its scheme. */
const SCHEMES = { BTC: 'bitcoin:', LTC: 'litecoin:', DOGE: 'dogecoin:', BCH: '' } as const;

/** EIP-681: amounts are in the smallest unit. */
const ethereumUri = ({ contract }: Currency, address: string, units: bigint): string =>
  contract === null
    ? `ethereum:${address}@${ETHEREUM_CHAIN_ID}?value=${units}`
    : `ethereum:${contract}@${ETHEREUM_CHAIN_ID}/transfer?address=${address}&uint256=${units}`;

/**
 * The URI that a wallet opens, and the content of the QR code: BIP-21, EIP-681 or Solana Pay.
 * @throws RangeError for a target that is not of the currency's network
 */
export const paymentUri = (currency: Currency, target: PaymentTarget, units: bigint): string => {
  const { code } = currency;
  const amount = toCoins(currency, units);
  if (target.kind === 'reference') {
    const parameters = new URLSearchParams({ amount, reference: target.reference, label: LABEL });
    return `solana:${target.recipient}?${parameters.toString()}`;
  }
  switch (code) {
    case 'ETH':
    case 'USDT':
    case 'USDC':
      return ethereumUri(currency, target.address, units);
    case 'BTC':
    case 'LTC':
    case 'DOGE':
    case 'BCH':
      return `${SCHEMES[code]}${target.address}?amount=${amount}&label=${LABEL}`;
    case 'SOL':
      throw new RangeError('SOL is paid to a reference');
  }
};
