import { malformed } from '../delta.error.js';
import { type ByteCursor } from './byte-cursor.js';

const NEAR = 4;
const SAME = 3;
const SAME_BYTES = 256;
const SELF_MODE = 0;
const HERE_MODE = 1;
const NEAR_MODE = 2;
const SAME_MODE = NEAR_MODE + NEAR;

/** The addresses of recent COPY instructions (RFC 3284, section 5.1); empty for each window. */
export class AddressCache {
  readonly #near = new Float64Array(NEAR);
  readonly #same = new Float64Array(SAME * SAME_BYTES);
  #next = 0;

  /**
   * The address of the next COPY.
   * @param here the address that the copied bytes get
   * @throws DeltaError `malformed` for an address that is not before `here`
   */
  decode(mode: number, here: number, addresses: ByteCursor): number {
    const address = this.#decoded(mode, here, addresses);
    if (address < 0 || address >= here) malformed('a copy comes from nowhere');
    this.#near[this.#next] = address;
    this.#next = (this.#next + 1) % NEAR;
    this.#same[address % (SAME * SAME_BYTES)] = address;
    return address;
  }

  #decoded(mode: number, here: number, addresses: ByteCursor): number {
    if (mode === SELF_MODE) return addresses.integer();
    if (mode === HERE_MODE) return here - addresses.integer();
    if (mode < SAME_MODE) return (this.#near[mode - NEAR_MODE] ?? 0) + addresses.integer();
    return this.#same[(mode - SAME_MODE) * SAME_BYTES + addresses.byte()] ?? 0;
  }
}
