import { base58 } from '@scure/base';
import { type FakeServer, startFakeRpc } from '../fake-server.fake.js';
import {
  type SimulatedChain,
  type SimulatedOutput,
  type SimulatedTransaction,
} from '../simulated/simulated-chain.js';

const PAYER = base58.encode(new Uint8Array(32).fill(9));
const SYSTEM_PROGRAM = '11111111111111111111111111111111';
const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111';
const FINAL = 32;

const transferData = (units: string): string => {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt32LE(2, 0);
  bytes.writeBigUInt64LE(BigInt(units), 4);
  return base58.encode(bytes);
};

/** Like a wallet: a compute budget first, then one transfer for each output. */
const messageOf = ({ outputs }: SimulatedTransaction) => {
  const named = outputs.flatMap(({ address, reference }) => [address, reference ?? PAYER]);
  const accountKeys = [...new Set([PAYER, ...named, SYSTEM_PROGRAM, COMPUTE_BUDGET])];
  const at = (key: string): number => accountKeys.indexOf(key);
  const transfer = ({ address, reference, units }: SimulatedOutput) => ({
    programIdIndex: at(SYSTEM_PROGRAM),
    accounts: [at(PAYER), at(address), ...(reference === null ? [] : [at(reference)])],
    data: transferData(units),
  });
  const budget = { programIdIndex: at(COMPUTE_BUDGET), accounts: [], data: '3Bxs4h24' };
  return { accountKeys, instructions: [budget, ...outputs.map(transfer)] };
};

/** Shows a simulated chain as a node of Solana does. It shows nothing that waits. */
export const startSolana = (
  chain: SimulatedChain,
  /** Transactions that were included and failed. */
  failed: ReadonlySet<string> = new Set(),
): Promise<FakeServer> => {
  const included = () =>
    chain.blocks.flatMap((block) => block.transactions.map((one) => ({ one, block })));
  const errorOf = (txid: string) => (failed.has(txid) ? { InstructionError: [1, 'Custom'] } : null);
  return startFakeRpc((method, [first]) => {
    switch (method) {
      case 'getSignaturesForAddress':
        return included()
          .filter(({ one }) => messageOf(one).accountKeys.includes(String(first)))
          .map(({ one: { txid: signature }, block: { height: slot, atMs } }) => ({
            signature,
            slot,
            err: errorOf(signature),
            blockTime: Math.floor(atMs / 1_000),
            confirmationStatus: chain.height - slot + 1 >= FINAL ? 'finalized' : 'confirmed',
          }))
          .toReversed();
      case 'getTransaction': {
        const found = included().find(({ one }) => one.txid === first);
        if (!found) return null;
        return {
          slot: found.block.height,
          meta: { err: errorOf(found.one.txid), loadedAddresses: { writable: [], readonly: [] } },
          transaction: { signatures: [first], message: messageOf(found.one) },
        };
      }
      default:
        return undefined;
    }
  });
};
