/** The port of vision to the area of live sessions. The composition binds it. */

export interface LiveFrame {
  /** As the session names it. */
  readonly frameId: string;
  /** A PNG file. */
  readonly file: Uint8Array;
}

/** The frames of live sessions. The class is the injection token. */
export abstract class LiveFrames {
  /**
   * The last frame of a session; null: it has none yet. Undefined for a session that is absent, has
   * ended or belongs to another account.
   */
  abstract frameOf(accountId: string, sessionId: string): Promise<LiveFrame | null | undefined>;
}
