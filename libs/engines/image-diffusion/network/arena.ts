import { createKernels, FLOAT_BYTES, type Kernels } from './kernels.js';

/** A part of the memory of the kernels. */
export interface Place {
  /** In bytes. */
  readonly at: number;
  readonly floats: Float32Array;
}

/** Rows of places with their channels behind each other. */
export interface Plane extends Place {
  readonly side: number;
  readonly channels: number;
  /** Of zeros around the plane. */
  readonly border: 0 | 1;
}

const PAGE_BYTES = 65_536;
const ALIGNMENT = 64;

/** Hands out parts of one memory, whose size is known before: it never grows under a view. */
export class Arena {
  readonly kernels: Kernels = createKernels();
  readonly #bytes: number;
  #next = 0;

  constructor(floats: number) {
    const { memory } = this.kernels;
    memory.grow(Math.ceil((floats * FLOAT_BYTES) / PAGE_BYTES));
    this.#bytes = memory.buffer.byteLength;
  }

  take(floats: number): Place {
    const at = this.#next;
    const bytes = floats * FLOAT_BYTES;
    if (at + bytes > this.#bytes) throw new RangeError('the memory of the network is full');
    this.#next = Math.ceil((at + bytes) / ALIGNMENT) * ALIGNMENT;
    return { at, floats: new Float32Array(this.kernels.memory.buffer, at, floats) };
  }

  plane(side: number, channels: number, border: 0 | 1): Plane {
    const whole = side + 2 * border;
    return { ...this.take(whole * whole * channels), side, channels, border };
  }
}
