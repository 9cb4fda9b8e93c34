/** Frames of a stream session, whose parts arrive in any order. */

/** Frames some of whose parts are missing. */
const OPEN_FRAMES_MAX = 8;
/** A message begins with the length of its header. */
const LENGTH_BYTES = 2;

export interface FrameHeader {
  readonly frame_id: number;
  readonly part: number;
  readonly parts: number;
  readonly width: number;
  readonly height: number;
  readonly steps: number;
  readonly stamp_ms: number;
}

export interface Frame {
  readonly header: FrameHeader;
  /** PNG. */
  readonly parts: readonly Uint8Array<ArrayBuffer>[];
}

export class Frames {
  readonly #open = new Map<number, Map<number, Uint8Array<ArrayBuffer>>>();
  #shown = 0;

  /** The frame that a message completes, unless a newer one was complete before; else null. */
  add(message: ArrayBuffer): Frame | null {
    const length = new DataView(message).getUint16(0);
    const text = new TextDecoder().decode(new Uint8Array(message, LENGTH_BYTES, length));
    const header = JSON.parse(text) as FrameHeader;
    const { frame_id: id } = header;
    const parts = this.#open.get(id) ?? new Map<number, Uint8Array<ArrayBuffer>>();
    parts.set(header.part, new Uint8Array(message, LENGTH_BYTES + length));
    this.#open.set(id, parts);
    for (const oldest of this.#open.keys()) {
      if (this.#open.size <= OPEN_FRAMES_MAX) break;
      this.#open.delete(oldest);
    }
    if (parts.size < header.parts) return null;
    this.#open.delete(id);
    if (id <= this.#shown) return null;
    this.#shown = id;
    const ordered = [...parts].sort(([one], [other]) => one - other).map(([, part]) => part);
    return { header, parts: ordered };
  }
}
