/** The messages between the calling thread and the thread that checks the chain. */
import { type DamagedEvent } from '../log-chain.port.js';

export type ChainRequest =
  /** Check some more events, at most up to this position. */
  { readonly kind: 'check'; readonly upTo: bigint } | { readonly kind: 'close' };

export type ChainReply =
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'checked';
      /** Everything up to here was checked. */
      readonly position: bigint;
      /** Events in this reply. */
      readonly events: number;
      readonly damaged: readonly DamagedEvent[];
      /** The stored chain hash of the last event that could be read, or null. */
      readonly hash: Uint8Array | null;
    }
  /** The file cannot be opened; the thread ends. */
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'closed' };
