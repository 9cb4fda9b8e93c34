import { totalmem } from 'node:os';

/** Bytes of the machine, or what a container leaves this process. */
export const hostMemoryBytes = (): number => memoryOf(totalmem(), process.constrainedMemory());

/** @param constrained 0, or more than there is, where the process has no limit of its own */
export const memoryOf = (total: number, constrained: number): number =>
  constrained > 0 ? Math.min(total, constrained) : total;
