import { type VideoTerms } from './vp8-encoder.js';

/** How the peers of a process reach the network. */
export interface PeerNetwork {
  /** UDP ports of the peers; null: any. */
  readonly ports: readonly [number, number] | null;
  /** The address of the sockets; null: every address of the machine. */
  readonly bind: string | null;
  /** The address that clients get in place of the own ones; null: the own ones. */
  readonly announced: string | null;
}

/** The data of the thread of the peers. */
export interface PeerSetting extends PeerNetwork {
  /** The program that encodes video. */
  readonly encoder: string;
}

/** A message of a data channel: text, or bytes. */
export type PeerMessage = string | Uint8Array;

/** The calls that the thread answers. `peer` is a name that the caller chooses. */
export type PeerCalls = {
  /** Answers an offer. A peer of this name is replaced. */
  readonly negotiate: (offer: {
    readonly peer: string;
    readonly sdp: string;
    /** Null: the answer rejects a video. */
    readonly video: VideoTerms | null;
  }) => Promise<string>;
  /** Resolves when the channel has room again. False where no channel is open. */
  readonly send: (sent: {
    readonly peer: string;
    readonly message: PeerMessage;
  }) => Promise<boolean>;
  /** Shows a picture in the video of a peer, where there is one. */
  readonly show: (shown: { readonly peer: string; readonly pixels: Uint8Array }) => void;
  readonly end: (ended: { readonly peer: string }) => Promise<void>;
};

/** The news that the thread tells. */
export type PeerNews = {
  /** The data channel of the client has opened or closed. */
  readonly channel: (change: { readonly peer: string; readonly isOpen: boolean }) => void;
  readonly message: (received: { readonly peer: string; readonly message: PeerMessage }) => void;
};
