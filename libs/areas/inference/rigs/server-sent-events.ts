const LF = 10;
const CR = 13;
const SPACE = 32;
const BYTE_ORDER_MARK = '\ufeff';

/**
 * Takes the `data` of server-sent events out of bytes as they come (WHATWG HTML, 9.2.6). Lines end
 * with LF, CRLF or CR; several `data` lines make one event, joined by LF; comments and other fields
 * are passed over. Bytes are decoded up to the last line end only, so a character cut in two by the
 * network is never torn.
 */
export class ServerSentEvents {
  /** The line that has not ended yet. */
  private held: Buffer[] = [];
  private heldBytes = 0;
  private data: string | null = null;
  private lastWasCr = false;
  private atStart = true;

  constructor(private readonly onData: (data: string) => void) {}

  /** Bytes of the line that has not ended, so that the caller can bound it. */
  get pendingBytes(): number {
    return this.heldBytes;
  }

  push(bytes: Buffer): void {
    // A CRLF may be cut between its two bytes: the line ended with the CR.
    const from = this.lastWasCr && bytes[0] === LF ? 1 : 0;
    this.lastWasCr = bytes.length > 0 ? bytes[bytes.length - 1] === CR : this.lastWasCr;
    const end = afterLastLineEnd(bytes);
    if (end > from) this.lines(this.unhold(bytes, from, end));
    if (end < bytes.length) this.hold(end > from ? bytes.subarray(end) : bytes.subarray(from));
  }

  /**
   * The response ended. The standard drops an event without its empty line; servers do end with a
   * bare `data: [DONE]`, and a torn JSON must not vanish, so what is left counts as an event.
   */
  end(): void {
    if (this.held.length > 0) this.lines(`${Buffer.concat(this.held).toString('utf8')}\n`);
    this.held = [];
    this.heldBytes = 0;
    this.dispatch();
  }

  private hold(bytes: Buffer): void {
    this.held.push(bytes);
    this.heldBytes += bytes.length;
  }

  private unhold(bytes: Buffer, from: number, end: number): string {
    if (this.held.length === 0) return bytes.toString('utf8', from, end);
    this.held.push(bytes.subarray(from, end));
    const text = Buffer.concat(this.held).toString('utf8');
    this.held = [];
    this.heldBytes = 0;
    return text;
  }

  /** @param text whole lines, the last one ended */
  private lines(text: string): void {
    const marked = this.atStart && text.startsWith(BYTE_ORDER_MARK);
    this.atStart = false;
    const lines = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
    for (let at = marked ? 1 : 0; at < lines.length;) {
      const end = lines.indexOf('\n', at);
      if (end === at) this.dispatch();
      else this.line(lines, at, end);
      at = end + 1;
    }
  }

  private line(lines: string, at: number, end: number): void {
    if (!lines.startsWith('data', at)) return;
    if (end - at > 4 && !lines.startsWith(':', at + 4)) return;
    const from = at + (lines.charCodeAt(at + 5) === SPACE ? 6 : 5);
    const value = from < end ? lines.slice(from, end) : '';
    this.data = this.data === null ? value : `${this.data}\n${value}`;
  }

  private dispatch(): void {
    const { data } = this;
    if (data === null) return;
    this.data = null;
    this.onData(data);
  }
}

/** The index behind the last LF or CR; 0 when there is none. */
const afterLastLineEnd = (bytes: Buffer): number => {
  if (bytes[bytes.length - 1] === LF) return bytes.length;
  return Math.max(bytes.lastIndexOf(LF), bytes.lastIndexOf(CR)) + 1;
};
