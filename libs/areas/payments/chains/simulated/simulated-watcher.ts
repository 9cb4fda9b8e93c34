import { readFile } from 'node:fs/promises';
import {
  type ChainWatcher,
  type SeenPayment,
  type SeenPayments,
  type WatchTarget,
} from '../chain-watcher.port.js';
import {
  type SimulatedBlock,
  SimulatedChain,
  SimulatedLedger,
  type SimulatedTransaction,
} from './simulated-chain.js';

const paymentsIn = (
  { txid, outputs }: SimulatedTransaction,
  { address, reference, currency }: WatchTarget,
  block: SimulatedBlock | null,
  tip: number,
): readonly SeenPayment[] =>
  outputs.flatMap((output, index): readonly SeenPayment[] => {
    const isOurs =
      output.address === address && output.reference === reference && output.currency === currency;
    if (!isOurs) return [];
    const confirmations = block ? tip - block.height + 1 : 0;
    const seenBlock = block && {
      hash: block.hash,
      height: block.height,
      at: new Date(block.atMs).toISOString(),
    };
    return [{ txid, output: index, units: BigInt(output.units), confirmations, block: seenBlock }];
  });

/** Shows a simulated chain to the same code as real ones. */
export class SimulatedWatcher implements ChainWatcher {
  /** @param open the chain as it is now */
  constructor(private readonly open: () => Promise<SimulatedChain>) {}

  async payments(targets: readonly WatchTarget[], signal: AbortSignal): Promise<SeenPayments> {
    signal.throwIfAborted();
    const chain = await this.open();
    const { blocks, waiting, height } = chain;
    return new Map(
      targets.map((target) => [
        target.invoiceId,
        [
          ...blocks.flatMap((block) =>
            block.transactions.flatMap((one) => paymentsIn(one, target, block, height)),
          ),
          ...waiting.flatMap((one) => paymentsIn(one, target, null, height)),
        ],
      ]),
    );
  }
}

/** The chain in a file; a new one where there is no file. */
export const openSimulatedChain = async (
  file: string,
  now: () => number,
): Promise<SimulatedChain> => {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  });
  return text === null
    ? new SimulatedChain(now)
    : new SimulatedChain(now, SimulatedLedger.parse(JSON.parse(text)));
};
