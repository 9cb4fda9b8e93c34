import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type CryptoCurrency } from '#events/payments/crypto.vocabulary.js';
import { BitcoindWatcher } from './bitcoind/bitcoind-watcher.js';
import { type FakeNode, startBitcoind } from './bitcoind/bitcoind-server.fake.js';
import { chainWatcherContract, NOW, type WatchedChain } from './chain-watcher.contract.js';
import { type ChainWatcher, type WatchTarget } from './chain-watcher.port.js';
import { EsploraWatcher } from './esplora/esplora-watcher.js';
import { startEsplora } from './esplora/esplora-server.fake.js';
import { EvmWatcher } from './evm/evm-watcher.js';
import { startEvm } from './evm/evm-server.fake.js';
import { type FakeServer } from './fake-server.fake.js';
import { readNodeAddress } from './node-address.js';
import { SimulatedChain } from './simulated/simulated-chain.js';
import { SimulatedWatcher } from './simulated/simulated-watcher.js';
import { startSolana } from './solana/solana-server.fake.js';
import { SolanaWatcher } from './solana/solana-watcher.js';

const targetOf = (
  currency: CryptoCurrency,
  invoice: number,
  address: string,
  reference: string | null = null,
): WatchTarget => ({
  invoiceId: `01890a5d-ac96-774b-8cce-b302099a800${invoice}`,
  currency,
  address,
  reference,
  sinceMs: NOW,
});

const on = (
  start: (chain: SimulatedChain) => Promise<FakeServer>,
  watch: (url: string) => ChainWatcher,
): WatchedChain['open'] => {
  return async (chain) => {
    const { url, close } = await start(chain);
    return { watcher: watch(url), close };
  };
};

const bitcoin = [
  targetOf('BTC', 1, 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu'),
  targetOf('BTC', 2, 'bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g'),
] as const;
const ethereum = (one: CryptoCurrency, two: CryptoCurrency) =>
  [
    targetOf(one, 1, '0x9858EfFD232B4033E47d90003D41EC34EcaEda94'),
    targetOf(two, 2, '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'),
  ] as const;
const MERCHANT = 'mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN';
const solana = [
  targetOf('SOL', 1, MERCHANT, '82ZJ7nbGpixjeDCmEhUcmwXYfvurzAgGdtSMuHnUgyny'),
  targetOf('SOL', 2, MERCHANT, 'CuieVDEDtLo7FypA9SbLM9saXFdb1dsshEkyErMqkRQq'),
] as const;

chainWatcherContract('simulated', {
  open: (chain) => {
    let isOpen = true;
    const read = (): Promise<SimulatedChain> =>
      isOpen ? Promise.resolve(chain) : Promise.reject(new Error('the file is gone'));
    const close = (): Promise<void> => Promise.resolve(void (isOpen = false));
    return Promise.resolve({ watcher: new SimulatedWatcher(read), close });
  },
  targets: bitcoin,
  showsWaiting: true,
  paysSeveralTimes: true,
});

chainWatcherContract('Esplora', {
  open: on(startEsplora, (url) => new EsploraWatcher(url)),
  targets: bitcoin,
  showsWaiting: true,
  paysSeveralTimes: true,
});

for (const hasDescriptors of [true, false]) {
  chainWatcherContract(`bitcoind, ${hasDescriptors ? 'descriptors' : 'an older wallet'}`, {
    open: on(
      async (chain) => (await startBitcoind(chain, hasDescriptors)).server,
      (url) => new BitcoindWatcher(url),
    ),
    targets: bitcoin,
    showsWaiting: true,
    paysSeveralTimes: true,
  });
}

chainWatcherContract('EVM, tokens', {
  open: on(startEvm, (url) => new EvmWatcher(url)),
  targets: ethereum('USDT', 'USDC'),
  showsWaiting: false,
  paysSeveralTimes: true,
});

chainWatcherContract('EVM, ether and a token', {
  open: on(startEvm, (url) => new EvmWatcher(url)),
  targets: ethereum('ETH', 'USDC'),
  showsWaiting: false,
  paysSeveralTimes: false,
});

chainWatcherContract('Solana', {
  open: on(startSolana, (url) => new SolanaWatcher(url)),
  targets: solana,
  showsWaiting: false,
  paysSeveralTimes: true,
});

describe('chains of their own', () => {
  let chain: SimulatedChain;
  let server: FakeServer | undefined;

  beforeEach(() => {
    let nowMs = NOW;
    chain = new SimulatedChain(() => (nowMs += 12_000));
  });

  afterEach(() => server?.close());

  const signal = () => AbortSignal.timeout(5_000);
  const output = ({ currency, address, reference }: WatchTarget, units = '5') => ({
    currency,
    address,
    reference,
    units,
  });

  it.each([
    ['ETH', startEvm, (url: string) => new EvmWatcher(url), ethereum('ETH', 'ETH')[0], '0x'],
    ['USDT', startEvm, (url: string) => new EvmWatcher(url), ethereum('USDT', 'ETH')[0], '0x'],
    ['SOL', startSolana, (url: string) => new SolanaWatcher(url), solana[0], ''],
  ] as const)('%s: a transaction that failed pays nothing', async (_, start, watch, to, prefix) => {
    const failed = new Set([`${prefix}${chain.pay(output(to))}`]);
    chain.mine();
    server = await start(chain, failed);
    const seen = await watch(server.url).payments([to], signal());
    expect(seen.get(to.invoiceId)).toEqual([]);
  });

  it('Solana: a transfer to the merchant without the reference pays no invoice', async () => {
    chain.pay({ ...output(solana[0]), reference: null });
    chain.mine();
    server = await startSolana(chain);
    const seen = await new SolanaWatcher(server.url).payments(solana, signal());
    expect([...seen.values()]).toEqual([[], []]);
  });

  it('bitcoind: an address is imported once, from when its invoice was created', async () => {
    const node: FakeNode = await startBitcoind(chain);
    ({ server } = node);
    const watcher = new BitcoindWatcher(server.url);
    await watcher.payments([bitcoin[0]], signal());
    await watcher.payments([bitcoin[0]], signal());
    const { address, invoiceId } = bitcoin[0];
    const desc = `addr(${address})#checksum`;
    expect(node.imports).toEqual([{ desc, timestamp: NOW / 1_000, label: invoiceId }]);
  });

  it('Ethereum: an address that is added later is found in blocks that were read', async () => {
    const [first, second] = ethereum('ETH', 'ETH');
    server = await startEvm(chain);
    const watcher = new EvmWatcher(server.url);
    chain.pay(output(second));
    chain.mine();
    await watcher.payments([first], signal());
    const seen = await watcher.payments([first, second], signal());
    expect(seen.get(second.invoiceId)).toMatchObject([{ units: 5n }]);
  });
});

describe('the address of a node', () => {
  it.each([
    ['bitcoin', 'esplora:https://blockstream.info/api/', 'esplora', 'https://blockstream.info/api'],
    ['dogecoin', 'bitcoind:http://u:p@10.0.0.1:22555', 'bitcoind', 'http://u:p@10.0.0.1:22555'],
    ['ethereum', 'evm:https://rpc.example/key', 'evm', 'https://rpc.example/key'],
    ['solana', 'solana:http://127.0.0.1:8899', 'solana', 'http://127.0.0.1:8899'],
  ] as const)('of %s: %s', (network, text, kind, url) => {
    expect(readNodeAddress(text, network)).toEqual({ kind, url });
  });

  it('may be the file of a simulated chain', () => {
    expect(readNodeAddress('simulated:/tmp/a:b.json', 'solana')).toEqual({
      kind: 'simulated',
      file: '/tmp/a:b.json',
    });
  });

  it.each([
    ['bitcoin', 'https://blockstream.info/api'],
    ['bitcoin', 'evm:https://secret@rpc.example'],
    ['ethereum', 'esplora:https://blockstream.info'],
    ['solana', 'solana:ftp://node'],
    ['solana', 'simulated:'],
    ['ethereum', ''],
  ] as const)('of %s is not %j, and the error does not repeat it', (network, text) => {
    const reading = () => readNodeAddress(text, network);
    expect(reading).toThrow(RangeError);
    expect(reading).toThrow(/^expected (esplora|evm|solana):<url>/);
    expect(reading).not.toThrow('secret');
  });
});
