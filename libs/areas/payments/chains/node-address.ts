import { type CryptoNetwork } from '#events/payments/crypto.vocabulary.js';
import { withoutTrailing } from '#platform/kernel/trailing.js';

/** The source of a chain: a server, or the file of a simulated one. */
export type NodeAddress =
  | { readonly kind: 'esplora' | 'bitcoind' | 'evm' | 'solana'; readonly url: string }
  | { readonly kind: 'simulated'; readonly file: string };

type ServerKind = Exclude<NodeAddress['kind'], 'simulated'>;

const OF_BITCOIN: readonly ServerKind[] = ['esplora', 'bitcoind'];
const SERVERS: Readonly<Record<CryptoNetwork, readonly ServerKind[]>> = {
  bitcoin: OF_BITCOIN,
  litecoin: OF_BITCOIN,
  'bitcoin-cash': OF_BITCOIN,
  dogecoin: OF_BITCOIN,
  ethereum: ['evm'],
  solana: ['solana'],
};

/** @throws RangeError; the message does not repeat the text, which may contain a password */
export const readNodeAddress = (text: string, network: CryptoNetwork): NodeAddress => {
  const [kind = '', rest = ''] = splitOnce(text, ':');
  if (kind === 'simulated' && rest !== '') return { kind, file: rest };
  const server = SERVERS[network].find((one) => one === kind);
  if (server !== undefined && isHttpUrl(rest)) {
    return { kind: server, url: withoutTrailing(rest, '/') };
  }
  const expected = SERVERS[network].map((one) => `${one}:<url>`).join(', ');
  throw new RangeError(`expected ${expected} or simulated:<file>`);
};

const splitOnce = (text: string, by: string): readonly string[] => {
  const at = text.indexOf(by);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
};

const isHttpUrl = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
