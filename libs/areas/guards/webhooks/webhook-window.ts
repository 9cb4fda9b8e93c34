const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** @returns the text as it may be delivered */
type Ask = (text: string) => Promise<string>;

/**
 * Reads a text that comes in parts by a webhook, which sees it in overlapping pieces: a match that
 * is no longer than the window is whole in one of them.
 */
export class WebhookWindow {
  /** Its beginning may have been asked about before. */
  #held = '';
  #hasUnread = false;

  /**
   * @param units of UTF-16 that overlap
   * @param isHolding whether text waits for the verdict; a match that is flagged changes nothing
   */
  constructor(
    private readonly units: number,
    private readonly isHolding: boolean,
    private readonly ask: Ask,
  ) {}

  /** The next part of the text that may be delivered. */
  async push(part: string): Promise<string> {
    this.#held += part;
    this.#hasUnread ||= part !== '';
    const safe = this.#held.length < 2 * this.units ? '' : await this.#read(this.units);
    return this.isHolding ? safe : part;
  }

  /** The rest of the text. */
  async end(): Promise<string> {
    const rest = await this.#read(0);
    return this.isHolding ? rest : '';
  }

  /** @param kept units that are asked about again */
  async #read(kept: number): Promise<string> {
    const text = this.#hasUnread ? await this.ask(this.#held) : this.#held;
    this.#hasUnread = false;
    const end = Math.max(0, text.length - kept);
    const cut = kept > 0 && isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end;
    this.#held = text.slice(cut);
    return text.slice(0, cut);
  }
}
