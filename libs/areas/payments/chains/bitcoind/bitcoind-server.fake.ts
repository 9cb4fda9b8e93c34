import { toCoins } from '../../assets/currency.js';
import { type FakeServer, startFakeRpc } from '../fake-server.fake.js';
import { type SimulatedBlock, type SimulatedChain } from '../simulated/simulated-chain.js';

/** A number as nodes write it, without an exponent. Newer than the compiler's library. */
const { rawJSON: numberOf } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };

export interface FakeNode {
  readonly server: FakeServer;
  /** The imports, in order. */
  readonly imports: unknown[];
}

/**
 * Shows a simulated chain as a watch-only wallet of a node does.
 * @param hasDescriptors false for the wallets of older nodes
 */
export const startBitcoind = async (
  chain: SimulatedChain,
  hasDescriptors = true,
): Promise<FakeNode> => {
  const imports: unknown[] = [];
  const watched = new Set<string>();
  const all = () => [
    ...chain.blocks.flatMap((block) => block.transactions.map((one) => ({ one, block }))),
    ...chain.waiting.map((one) => ({ one, block: null as SimulatedBlock | null })),
  ];
  const received = () =>
    [...watched].flatMap((address) => {
      const txids = all()
        .filter(({ one }) => one.outputs.some((output) => output.address === address))
        .map(({ one }) => one.txid);
      return txids.length === 0 ? [] : [{ address, amount: 0, confirmations: 0, txids }];
    });
  const transaction = (txid: string) => {
    const { one, block } = all().find((found) => found.one.txid === txid) ?? {};
    if (!one) return undefined;
    return {
      confirmations: block ? chain.height - block.height + 1 : 0,
      ...(block && {
        blockhash: block.hash,
        ...(hasDescriptors && { blockheight: block.height }),
        blocktime: Math.floor(block.atMs / 1_000),
      }),
      details: one.outputs.flatMap(({ address, units }, vout) =>
        watched.has(address)
          ? [
              {
                address,
                category: 'receive',
                amount: numberOf(toCoins({ decimals: 8 }, BigInt(units))),
                vout,
              },
            ]
          : [],
      ),
    };
  };
  const server = await startFakeRpc((method, params) => {
    const [first] = params;
    switch (method) {
      case 'getwalletinfo':
        return hasDescriptors ? { descriptors: true } : {};
      case 'getdescriptorinfo':
        return { descriptor: `${String(first)}#checksum` };
      case 'importdescriptors': {
        const requests = first as readonly { readonly desc: string }[];
        imports.push(...requests);
        for (const { desc } of requests) watched.add(/^addr\((.*)\)#/.exec(desc)?.[1] ?? '');
        return requests.map(() => ({ success: true }));
      }
      case 'importaddress':
        imports.push(params);
        watched.add(String(first));
        return null;
      case 'listreceivedbyaddress':
        return received();
      case 'gettransaction':
        return transaction(String(first));
      case 'getblockheader':
        return chain.blocks.find(({ hash }) => hash === first);
      default:
        return undefined;
    }
  });
  return { server, imports };
};
