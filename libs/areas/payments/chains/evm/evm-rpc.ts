import { z } from 'zod';

/** The parts of an EVM node's answers that are read. Quantities are hexadecimal. */

export const Quantity = z
  .string()
  .regex(/^0x[0-9a-f]+$/i)
  .transform(BigInt);

const Height = Quantity.transform(Number);

export const EvmBlock = z.object({
  number: Height,
  hash: z.string(),
  parentHash: z.string(),
  timestamp: Height,
});

export const EvmBlockWithTransactions = EvmBlock.extend({
  transactions: z.array(z.object({ hash: z.string(), to: z.string().nullable(), value: Quantity })),
});

export const EvmLog = z.object({
  transactionHash: z.string(),
  blockNumber: Height,
  blockHash: z.string(),
  logIndex: Height,
  /** The event, who paid, and to whom. */
  topics: z.array(z.string()),
  data: Quantity,
  removed: z.boolean().optional(),
});
export type EvmLog = z.infer<typeof EvmLog>;

export const EvmReceipt = z
  .object({ status: Height, logs: z.array(z.object({ logIndex: Height })) })
  .nullable();

/** `Transfer(address,address,uint256)` of ERC-20: its Keccak-256. */
export const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

export const hexOf = (value: number): string => `0x${value.toString(16)}`;

/** An address as a topic: padded to 32 bytes. */
export const topicOf = (address: string): string =>
  `0x${address.slice(2).toLowerCase().padStart(64, '0')}`;
