import { type FakeAnswer, type FakeServer, startFakeServer } from '../fake-server.fake.js';
import {
  type SimulatedBlock,
  type SimulatedChain,
  type SimulatedTransaction,
} from '../simulated/simulated-chain.js';

const PAGE = 25;
const ADDRESS = /^\/address\/([^/]+)\/txs(?:\/chain\/([0-9a-f]+))?$/;

const present = ({ txid, outputs }: SimulatedTransaction, block: SimulatedBlock | null) => ({
  txid,
  version: 2,
  vout: outputs.map(({ address, units }) => ({
    scriptpubkey_address: address,
    value: Number(units),
  })),
  status: block
    ? {
        confirmed: true,
        block_height: block.height,
        block_hash: block.hash,
        block_time: Math.floor(block.atMs / 1_000),
      }
    : { confirmed: false },
});

/** Shows a simulated chain as Esplora does: waiting first, then the newest, 25 to a page. */
export const startEsplora = (chain: SimulatedChain): Promise<FakeServer> =>
  startFakeServer((path): FakeAnswer => {
    if (path === '/blocks/tip/height') return { json: chain.height };
    const [, encoded, after] = ADDRESS.exec(path) ?? [];
    if (encoded === undefined) return { status: 404, text: 'Not Found' };
    const address = decodeURIComponent(encoded);
    const pays = ({ outputs }: SimulatedTransaction): boolean =>
      outputs.some((output) => output.address === address);
    const confirmed = chain.blocks
      .toReversed()
      .flatMap((block) => block.transactions.filter(pays).map((one) => present(one, block)));
    if (after !== undefined) {
      const from = confirmed.findIndex(({ txid }) => txid === after) + 1;
      return { json: confirmed.slice(from, from + PAGE) };
    }
    const waiting = chain.waiting.filter(pays).map((one) => present(one, null));
    return { json: [...waiting, ...confirmed.slice(0, PAGE)] };
  });
