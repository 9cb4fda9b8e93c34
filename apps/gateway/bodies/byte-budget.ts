/** Bytes that several requests share. */
export class ByteBudget {
  #used = 0;

  constructor(private readonly bytesMax: number) {}

  /** Takes nothing and returns false when too few are left. */
  take(bytes: number): boolean {
    if (this.#used + bytes > this.bytesMax) return false;
    this.#used += bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#used -= bytes;
  }
}
