/** Zero crossings of the sinc on each side. */
const CROSSINGS = 16;
/** Of the Kaiser window: about 80 dB beside the band. */
const BETA = 8;
/** The part of the lower band that passes; the rest is the slope of the filter. */
const PASSING = 0.94;

const bessel = (x: number): number => {
  let [sum, term] = [1, 1];
  for (let at = 1; term > sum * 1e-12; at += 1) {
    term *= (x / (2 * at)) ** 2;
    sum += term;
  }
  return sum;
};

const sinc = (x: number): number => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x));

const divisorOf = (a: number, b: number): number => (b === 0 ? a : divisorOf(b, a % b));

/** Changes the sample rate by a sinc under a Kaiser window, which cuts above the band. */
export const resampled = (samples: Float32Array, from: number, to: number): Float32Array => {
  if (from === to) return samples;
  const common = divisorOf(from, to);
  const [up, down] = [to / common, from / common];
  const band = PASSING * Math.min(1, to / from);
  const reach = Math.ceil(CROSSINGS / band);
  const filters = new Map<number, Float64Array>();
  const result = new Float32Array(Math.ceil((samples.length * to) / from));
  for (let at = 0; at < result.length; at += 1) {
    const phase = (at * down) % up;
    const centre = (at * down - phase) / up;
    let filter = filters.get(phase);
    if (!filter) filters.set(phase, (filter = filterAt(phase / up, band, reach)));
    let sum = 0;
    for (let tap = 0; tap < filter.length; tap += 1) {
      sum += (filter[tap] ?? 0) * (samples[centre + tap - reach] ?? 0);
    }
    result[at] = sum;
  }
  return result;
};

/** The weights of the samples around a place between two of them. */
const filterAt = (fraction: number, band: number, reach: number): Float64Array => {
  const weights = Float64Array.from({ length: 2 * reach + 1 }, (_, tap) => {
    const distance = tap - reach - fraction;
    const edge = Math.max(0, 1 - (distance / reach) ** 2);
    return band * sinc(band * distance) * (bessel(BETA * Math.sqrt(edge)) / bessel(BETA));
  });
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
};
