/** The discrete Fourier transform of a power of two complex values, of four at least, in place. */
export class FourierTransform {
  readonly #cos: Float64Array;
  readonly #sin: Float64Array;
  readonly #reversed: Uint32Array;

  constructor(readonly size: number) {
    this.#cos = Float64Array.from({ length: size / 2 }, (_, at) =>
      Math.cos((2 * Math.PI * at) / size),
    );
    this.#sin = Float64Array.from({ length: size / 2 }, (_, at) =>
      Math.sin((2 * Math.PI * at) / size),
    );
    const bits = Math.log2(size);
    this.#reversed = Uint32Array.from({ length: size }, (_, at) => reversedBits(at, bits));
  }

  transform(real: Float64Array, imaginary: Float64Array): void {
    this.#reorder(real, imaginary);
    this.#fours(real, imaginary);
    for (let half = 4; half < this.size; half *= 2) this.#stage(real, imaginary, half);
  }

  /** The first two stages, whose factors are 1 and -i. */
  #fours(real: Float64Array, imaginary: Float64Array): void {
    for (let at = 0; at < this.size; at += 4) {
      const sumReal = (real[at] ?? 0) + (real[at + 1] ?? 0);
      const sumImaginary = (imaginary[at] ?? 0) + (imaginary[at + 1] ?? 0);
      const gapReal = (real[at] ?? 0) - (real[at + 1] ?? 0);
      const gapImaginary = (imaginary[at] ?? 0) - (imaginary[at + 1] ?? 0);
      const otherSumReal = (real[at + 2] ?? 0) + (real[at + 3] ?? 0);
      const otherSumImaginary = (imaginary[at + 2] ?? 0) + (imaginary[at + 3] ?? 0);
      const otherGapReal = (real[at + 2] ?? 0) - (real[at + 3] ?? 0);
      const otherGapImaginary = (imaginary[at + 2] ?? 0) - (imaginary[at + 3] ?? 0);
      real[at] = sumReal + otherSumReal;
      imaginary[at] = sumImaginary + otherSumImaginary;
      real[at + 1] = gapReal + otherGapImaginary;
      imaginary[at + 1] = gapImaginary - otherGapReal;
      real[at + 2] = sumReal - otherSumReal;
      imaginary[at + 2] = sumImaginary - otherSumImaginary;
      real[at + 3] = gapReal - otherGapImaginary;
      imaginary[at + 3] = gapImaginary + otherGapReal;
    }
  }

  /** Joins transforms of `half` values. Arrays in this loop would take most of its time. */
  #stage(real: Float64Array, imaginary: Float64Array, half: number): void {
    const cosines = this.#cos;
    const sines = this.#sin;
    const step = this.size / (2 * half);
    for (let start = 0; start < this.size; start += 2 * half) {
      for (let at = 0; at < half; at += 1) {
        const low = start + at;
        const high = low + half;
        const cos = cosines[at * step] ?? 0;
        const sin = sines[at * step] ?? 0;
        const re = real[high] ?? 0;
        const im = imaginary[high] ?? 0;
        const turnedReal = re * cos + im * sin;
        const turnedImaginary = im * cos - re * sin;
        const lowReal = real[low] ?? 0;
        const lowImaginary = imaginary[low] ?? 0;
        real[high] = lowReal - turnedReal;
        imaginary[high] = lowImaginary - turnedImaginary;
        real[low] = lowReal + turnedReal;
        imaginary[low] = lowImaginary + turnedImaginary;
      }
    }
  }

  #reorder(real: Float64Array, imaginary: Float64Array): void {
    const reversed = this.#reversed;
    for (let at = 0; at < this.size; at += 1) {
      const other = reversed[at] ?? 0;
      if (other <= at) continue;
      const re = real[at] ?? 0;
      const im = imaginary[at] ?? 0;
      real[at] = real[other] ?? 0;
      imaginary[at] = imaginary[other] ?? 0;
      real[other] = re;
      imaginary[other] = im;
    }
  }
}

const reversedBits = (value: number, bits: number): number => {
  let reversed = 0;
  for (let bit = 0; bit < bits; bit += 1) {
    if ((value & (1 << bit)) !== 0) reversed |= 1 << (bits - 1 - bit);
  }
  return reversed;
};
