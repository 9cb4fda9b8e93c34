import { rename, writeFile } from 'node:fs/promises';
import { type SimulatedChain } from './simulated-chain.js';

/** Readers see the chain before the change or after it. */
export const saveSimulatedChain = async (file: string, chain: SimulatedChain): Promise<void> => {
  const temporary = `${file}.${process.pid}.tmp`;
  await writeFile(temporary, JSON.stringify(chain.ledger()));
  await rename(temporary, file);
};
