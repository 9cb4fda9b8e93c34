/** From which share of active inputs on the dense kernels beat the event-driven ones. */
import {
  denseConvolution,
  eventConvolution,
  type ConvolutionShape,
} from '#engines/spiking/operations/convolution.kernels.js';
import { denseRow, eventRow } from '#engines/spiking/operations/dense.kernels.js';

const RATES = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];
const [INPUTS, OUTPUTS] = [128, 128];
const PICTURE: ConvolutionShape = {
  height: 8,
  width: 8,
  channels: 16,
  kernel: 3,
  stride: 1,
  out: 16,
};
const ROUNDS = 5;

/** Spikes at the given share of places, spread by a multiplicative hash. */
const spikes = (length: number, rate: number): Float32Array =>
  Float32Array.from({ length }, (_, index) =>
    Math.imul(index + 1, 0x9e3779b1) >>> 0 < rate * 2 ** 32 ? 1 : 0,
  );

/** The least CPU time of several rounds, in microseconds for each call. */
const costOf = (work: () => void, calls: number): number => {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const before = process.cpuUsage();
    for (let call = 0; call < calls; call += 1) work();
    return process.cpuUsage(before).user / calls;
  });
  return Math.min(...rounds);
};

const compare = (
  name: string,
  inputs: number,
  calls: number,
  kernels: readonly [(x: Float32Array) => void, (x: Float32Array) => void],
): void => {
  for (const rate of RATES) {
    const x = spikes(inputs, rate);
    const [dense, events] = kernels.map((kernel) => costOf(() => kernel(x), calls)) as [
      number,
      number,
    ];
    const figures = { kernel: name, rate, denseUs: dense, eventUs: events };
    console.log(JSON.stringify({ ...figures, faster: events < dense ? 'events' : 'dense' }));
  }
};

export const compareKernels = (): void => {
  const weight = new Float32Array(INPUTS * OUTPUTS).fill(0.1);
  const sums = new Float64Array(OUTPUTS);
  compare('linear', INPUTS, 2000, [
    (x) => denseRow(x, weight, sums),
    (x) => eventRow(x, weight, sums),
  ]);
  const { height, width, channels, kernel, out } = PICTURE;
  const filter = new Float32Array(kernel * kernel * channels * out).fill(0.1);
  const picture = new Float64Array(height * width * out);
  compare('convolution', height * width * channels, 100, [
    (x) => denseConvolution(x, filter, picture, PICTURE),
    (x) => eventConvolution(x, filter, picture, PICTURE),
  ]);
};
