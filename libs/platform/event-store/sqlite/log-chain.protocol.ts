/** The messages between the calling thread and the threads that check the chain. */
import { type DamagedEvent } from '../log-chain.port.js';

/** The result of the check of one event that the check of the next one needs. */
export interface Seam {
  /** Its stored chain hash; null where it could not be read. */
  readonly stored: Uint8Array | null;
  /** The hash if the event is as it was appended; null where the stored hash equals it. */
  readonly computed: Uint8Array | null;
}

/** The events behind one position, up to and with another. */
export interface Segment {
  readonly from: number;
  readonly upTo: number;
}

export interface CheckedSegment {
  readonly events: number;
  readonly damaged: readonly DamagedEvent[];
  /** The known or assumed state before the first event. */
  readonly before: Seam;
  /** Of the last event. */
  readonly after: Seam;
}

export type ChainRequest =
  | {
      readonly kind: 'check';
      readonly segment: Segment;
      /** Absent: the event before is taken to be as it was appended. */
      readonly seam?: Seam;
    }
  | { readonly kind: 'close' };

export type ChainReply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'checked'; readonly checked: CheckedSegment }
  /** The file cannot be opened; the thread ends. */
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'closed' };
