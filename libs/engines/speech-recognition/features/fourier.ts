/** The discrete Fourier transform of a power of two complex values, in place. */
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
    for (let half = 1; half < this.size; half *= 2) {
      const step = this.size / (2 * half);
      for (let start = 0; start < this.size; start += 2 * half) {
        for (let at = 0; at < half; at += 1) {
          const [low, high] = [start + at, start + at + half];
          const cos = this.#cos[at * step] ?? 0;
          const sin = this.#sin[at * step] ?? 0;
          const [re, im] = [real[high] ?? 0, imaginary[high] ?? 0];
          const turnedReal = re * cos + im * sin;
          const turnedImaginary = im * cos - re * sin;
          const [lowReal, lowImaginary] = [real[low] ?? 0, imaginary[low] ?? 0];
          real[high] = lowReal - turnedReal;
          imaginary[high] = lowImaginary - turnedImaginary;
          real[low] = lowReal + turnedReal;
          imaginary[low] = lowImaginary + turnedImaginary;
        }
      }
    }
  }

  #reorder(real: Float64Array, imaginary: Float64Array): void {
    for (let at = 0; at < this.size; at += 1) {
      const other = this.#reversed[at] ?? 0;
      if (other <= at) continue;
      const [re, im] = [real[at] ?? 0, imaginary[at] ?? 0];
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
