import { createHash } from 'node:crypto';
import { currencies } from '../../assets/currency.js';
import { type FakeServer, startFakeRpc } from '../fake-server.fake.js';
import {
  type SimulatedBlock,
  type SimulatedChain,
  type SimulatedTransaction,
} from '../simulated/simulated-chain.js';
import { hexOf, topicOf, TRANSFER } from './evm-rpc.js';

const PAYER = `0x${'11'.repeat(20)}`;
const prefixed = (hash: string): string => `0x${hash}`;
const FAR_PARENT = createHash('sha256').update('before the first block').digest('hex');

interface LogFilter {
  readonly fromBlock: string;
  readonly toBlock: string;
  readonly address: string;
  readonly topics: readonly [string, null, readonly string[]];
}

/** The logs of a block, numbered through it. Each transaction begins with another log. */
const logsOf = (block: SimulatedBlock) => {
  let logIndex = 0;
  return block.transactions.flatMap(({ txid, outputs }) => {
    const approval = { txid, address: '', topics: ['0x00'], data: '0x0', logIndex: logIndex++ };
    const transfers = outputs.flatMap(({ currency, address: to, units }) => {
      const { contract } = currencies[currency];
      if (contract === null) return [];
      const topics = [TRANSFER, topicOf(PAYER), topicOf(to)];
      const data = `0x${BigInt(units).toString(16).padStart(64, '0')}`;
      return [{ txid, address: contract, topics, data, logIndex: logIndex++ }];
    });
    return [approval, ...transfers];
  });
};

const transactionOf = ({ txid, outputs }: SimulatedTransaction) => {
  const ether = outputs.find(({ currency }) => currency === 'ETH');
  return {
    hash: prefixed(txid),
    from: PAYER,
    to: ether ? ether.address.toLowerCase() : PAYER,
    value: ether ? `0x${BigInt(ether.units).toString(16)}` : '0x0',
  };
};

/** Shows a simulated chain as a node of Ethereum does. It shows nothing that waits. */
export const startEvm = (
  chain: SimulatedChain,
  /** Transactions that were included and failed. */
  failed: ReadonlySet<string> = new Set(),
): Promise<FakeServer> => {
  const present = (block: SimulatedBlock | undefined, isFull: unknown) => {
    if (!block) return null;
    const parent = chain.blocks.find(({ height }) => height === block.height - 1);
    const transactions = block.transactions.map(transactionOf);
    return {
      number: hexOf(block.height),
      hash: prefixed(block.hash),
      parentHash: prefixed(parent?.hash ?? FAR_PARENT),
      timestamp: hexOf(Math.floor(block.atMs / 1_000)),
      transactions: isFull === true ? transactions : transactions.map(({ hash }) => hash),
    };
  };
  const logs = ({ fromBlock, toBlock, address, topics: [, , to] }: LogFilter) =>
    chain.blocks
      .filter(({ height }) => height >= Number(fromBlock) && height <= Number(toBlock))
      .flatMap((block) =>
        logsOf(block)
          .filter((log) => log.address === address && to.includes(log.topics[2] ?? ''))
          .map(({ txid, topics, data, logIndex }) => ({
            transactionHash: prefixed(txid),
            blockNumber: hexOf(block.height),
            blockHash: prefixed(block.hash),
            logIndex: hexOf(logIndex),
            topics,
            data,
            removed: false,
          })),
      );
  const receipt = (hash: unknown) => {
    const block = chain.blocks.find(({ transactions }) =>
      transactions.some(({ txid }) => prefixed(txid) === hash),
    );
    if (!block) return null;
    const own = logsOf(block).filter(({ txid }) => prefixed(txid) === hash);
    return {
      status: failed.has(String(hash)) ? '0x0' : '0x1',
      logs: own.map(({ logIndex }) => ({ logIndex: hexOf(logIndex) })),
    };
  };
  return startFakeRpc((method, [first, second]) => {
    switch (method) {
      case 'eth_getBlockByNumber': {
        const height = first === 'latest' ? chain.height : Number(first);
        const found = chain.blocks.find((block) => block.height === height);
        return present(found, second);
      }
      case 'eth_getBlockByHash':
        return present(
          chain.blocks.find(({ hash }) => prefixed(hash) === first),
          second,
        );
      case 'eth_getLogs':
        return logs(first as LogFilter);
      case 'eth_getTransactionReceipt':
        return receipt(first);
      default:
        return undefined;
    }
  });
};
