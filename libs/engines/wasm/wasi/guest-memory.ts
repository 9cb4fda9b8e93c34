/** The memory of a module; an address outside of it is a RangeError. */
export class GuestMemory {
  #memory: Pick<WebAssembly.Memory, 'buffer'> | undefined;

  /** Set once the module is instantiated; nothing calls the host before. */
  attach(memory: Pick<WebAssembly.Memory, 'buffer'> | undefined): void {
    this.#memory = memory;
  }

  /** Fresh for each call: a growth detaches the buffer. */
  view(): DataView {
    return new DataView(this.#buffer());
  }

  bytes(address: number, length: number): Uint8Array {
    return new Uint8Array(this.#buffer(), address >>> 0, length >>> 0);
  }

  #buffer(): ArrayBuffer {
    if (!this.#memory) throw new RangeError('the module exports no memory');
    return this.#memory.buffer;
  }
}
