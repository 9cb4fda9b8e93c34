import { type SpeechFeatures } from '../speech-card.js';
import { FourierTransform } from './fourier.js';

/** A triangle over neighbouring bins of the spectrum. */
interface MelBand {
  readonly from: number;
  readonly weights: Float64Array;
}
const NO_BAND: MelBand = { from: 0, weights: new Float64Array() };

const melOf = (hertz: number): number => 2_595 * Math.log10(1 + hertz / 700);
const hertzOf = (mel: number): number => 700 * (10 ** (mel / 2_595) - 1);

/** Bands of equal width on the mel scale of HTK, without normalization. */
const melBands = (features: SpeechFeatures): readonly MelBand[] => {
  const { bands, frameSamples, sampleRate, lowestHz, highestHz } = features;
  const [low, high] = [melOf(lowestHz), melOf(highestHz)];
  const edge = (at: number): number => hertzOf(low + ((high - low) * at) / (bands + 1));
  const bins = frameSamples / 2 + 1;
  return Array.from({ length: bands }, (_, band) => {
    const [left, centre, right] = [edge(band), edge(band + 1), edge(band + 2)];
    const heights = Array.from({ length: bins }, (__, bin) => {
      const hertz = (bin * sampleRate) / frameSamples;
      return Math.max(
        0,
        Math.min((hertz - left) / (centre - left), (right - hertz) / (right - centre)),
      );
    });
    const from = heights.findIndex((height) => height > 0);
    const to = heights.findLastIndex((height) => height > 0);
    return from === -1
      ? NO_BAND
      : { from, weights: Float64Array.from(heights.slice(from, to + 1)) };
  });
};

/** A periodic Hann window in the middle of a frame. */
const hannWindow = ({ frameSamples, windowSamples }: SpeechFeatures): Float64Array => {
  const window = new Float64Array(frameSamples);
  const start = (frameSamples - windowSamples) / 2;
  for (let at = 0; at < windowSamples; at += 1) {
    window[start + at] = 0.5 - 0.5 * Math.cos((2 * Math.PI * at) / windowSamples);
  }
  return window;
};

/** The log energies of mel bands, frame by frame. */
export class LogMel {
  readonly #fourier: FourierTransform;
  readonly #window: Float64Array;
  readonly #bands: readonly MelBand[];
  readonly #real: Float64Array;
  readonly #imaginary: Float64Array;
  readonly #power: Float64Array;

  constructor(private readonly features: SpeechFeatures) {
    this.#fourier = new FourierTransform(features.frameSamples);
    this.#window = hannWindow(features);
    this.#bands = melBands(features);
    this.#real = new Float64Array(features.frameSamples);
    this.#imaginary = new Float64Array(features.frameSamples);
    this.#power = new Float64Array(features.frameSamples / 2 + 1);
  }

  framesOf(samples: number): number {
    const { frameSamples, hopSamples } = this.features;
    return samples < frameSamples ? 0 : 1 + Math.floor((samples - frameSamples) / hopSamples);
  }

  /** `[frames, bands]`. Two frames share a transform: one is its real part, one its imaginary. */
  of(samples: Float32Array): Float32Array {
    const { bands } = this.features;
    const frames = this.framesOf(samples.length);
    const mel = new Float32Array(frames * bands);
    for (let frame = 0; frame < frames; frame += 2) {
      this.#load(samples, frame, this.#real);
      if (frame + 1 < frames) this.#load(samples, frame + 1, this.#imaginary);
      else this.#imaginary.fill(0);
      this.#fourier.transform(this.#real, this.#imaginary);
      this.#write(mel, frame * bands, 1);
      if (frame + 1 < frames) this.#write(mel, (frame + 1) * bands, -1);
    }
    return mel;
  }

  #load(samples: Float32Array, frame: number, into: Float64Array): void {
    const window = this.#window;
    const start = frame * this.features.hopSamples;
    for (let at = 0; at < into.length; at += 1) {
      into[at] = (samples[start + at] ?? 0) * (window[at] ?? 0);
    }
  }

  /** @param sign 1 for the frame of the real part, -1 for the other */
  #write(mel: Float32Array, at: number, sign: 1 | -1): void {
    this.#measure(sign);
    const power = this.#power;
    const { floor } = this.features;
    for (let band = 0; band < this.#bands.length; band += 1) {
      const { from, weights } = this.#bands[band] ?? NO_BAND;
      let energy = floor;
      for (let bin = 0; bin < weights.length; bin += 1) {
        energy += (weights[bin] ?? 0) * (power[from + bin] ?? 0);
      }
      mel[at + band] = Math.log(energy);
    }
  }

  /** The power of each bin of one of the two frames. */
  #measure(sign: 1 | -1): void {
    const power = this.#power;
    // Of the frame of the imaginary part, the two parts change places.
    const one = sign > 0 ? this.#real : this.#imaginary;
    const other = sign > 0 ? this.#imaginary : this.#real;
    const { size } = this.#fourier;
    for (let bin = 0; bin < power.length; bin += 1) {
      const mirrored = bin === 0 ? 0 : size - bin;
      const even = (one[bin] ?? 0) + (one[mirrored] ?? 0);
      const odd = (other[bin] ?? 0) - (other[mirrored] ?? 0);
      power[bin] = (even * even + odd * odd) / 4;
    }
  }
}
