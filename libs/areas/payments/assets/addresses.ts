import { HDKey } from '@scure/bip32';
import { NETWORK, p2pkh, p2wpkh } from '@scure/btc-signer';
import { type AccountKey, type KeyedNetwork } from './account-key.js';
import { cashAddressOf } from './cash-address.js';
import { ethereumAddressOf } from './ethereum-address.js';

/** The parameters of the networks that `@scure/btc-signer` does not know. */
const LITECOIN = { bech32: 'ltc', pubKeyHash: 0x30, scriptHash: 0x32, wif: 0xb0 };
const DOGECOIN = { bech32: 'doge', pubKeyHash: 0x1e, scriptHash: 0x16, wif: 0x9e };

/** The chain of addresses that a wallet shows to payers; the other one is for change. */
const RECEIVING = 0;

const childOf = ({ chainCode, publicKey }: AccountKey, index: number): Uint8Array => {
  const child = new HDKey({ chainCode, publicKey }).deriveChild(RECEIVING).deriveChild(index);
  if (!child.publicKey) throw new Error('a child of a public key has a public key');
  return child.publicKey;
};

const encode: Readonly<Record<KeyedNetwork, (publicKey: Uint8Array) => string | undefined>> = {
  bitcoin: (publicKey) => p2wpkh(publicKey, NETWORK).address,
  litecoin: (publicKey) => p2wpkh(publicKey, LITECOIN).address,
  dogecoin: (publicKey) => p2pkh(publicKey, DOGECOIN).address,
  'bitcoin-cash': cashAddressOf,
  ethereum: ethereumAddressOf,
};

/** The address at `<account> / 0 / index`. */
export const addressAt = (network: KeyedNetwork, key: AccountKey, index: number): string => {
  const address = encode[network](childOf(key, index));
  if (address === undefined) throw new Error(`${network} has no address for this key`);
  return address;
};
