/** The record of `record.py`, as the specs read it. */
import { readFileSync } from 'node:fs';
import { type NestedNumbers } from '#engines/spiking/model-card.js';

type Rows = readonly (readonly number[])[];

export interface NeuronRun {
  readonly model: 'LIFNode' | 'PLIFNode';
  readonly tau: number;
  readonly decayInput: boolean;
  readonly resetTo: number | null;
  readonly detachReset: boolean;
  /** One row for each timestep, as all rows below. */
  readonly inputs: Rows;
  readonly weights: Rows;
  readonly spikes: Rows;
  /** After the reset. */
  readonly membranes: Rows;
  /** Of sum(weights * spikes). */
  readonly inputGradients: Rows;
  readonly leakParameterGradient: number | null;
}

interface LeakyRun {
  readonly spikes: Rows;
  readonly membranes: Rows;
}

export interface NeuronVectors {
  readonly programs: Readonly<Record<string, string>>;
  readonly runs: readonly NeuronRun[];
  readonly surrogates: Readonly<
    Record<
      'atan' | 'sigmoid' | 'fastSigmoid',
      { readonly x: readonly number[]; readonly slope: readonly number[] }
    >
  >;
  readonly snntorch: {
    readonly tau: number;
    readonly inputs: Rows;
    readonly immediate: LeakyRun;
    readonly delayed: LeakyRun;
  };
  readonly onThreshold: { readonly spikingjelly: number; readonly snntorch: number };
}

type Nested = number | readonly Nested[];

export interface CountedLayer {
  readonly kind: 'convolution' | 'linear' | 'product';
  readonly stride?: number;
  readonly input: Nested;
  readonly weight: Nested;
  readonly output: Nested;
  readonly counts: {
    readonly synapticEvents: number;
    readonly macs: number;
    readonly acs: number;
  };
}

export interface NumericVectors {
  readonly splines: {
    readonly knots: readonly number[];
    readonly x: readonly number[];
    readonly basis: Rows;
  };
  readonly stateSpaces: readonly {
    readonly a: readonly [number, number];
    readonly dt: number;
    readonly aBar: readonly [number, number];
    readonly bBar: readonly [number, number];
  }[];
  readonly equations: readonly {
    readonly name: string;
    readonly start: readonly number[];
    readonly end: number;
    readonly solution: readonly number[];
  }[];
}

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`./vectors/${name}.json`, import.meta.url), 'utf8'));

export const neuronVectors = (): NeuronVectors => read('neurons') as NeuronVectors;

export const countedLayers = (): readonly CountedLayer[] =>
  (read('counters') as { layers: readonly CountedLayer[] }).layers;

export const numericVectors = (): NumericVectors => read('numerics') as NumericVectors;

/** The shape of nested lists, and their numbers in order. */
export const flattened = (nested: Nested): { shape: number[]; values: Float32Array } => {
  const shape: number[] = [];
  for (let level: Nested | undefined = nested; typeof level === 'object'; level = level[0]) {
    shape.push(level.length);
  }
  const flat = (value: Nested): readonly number[] =>
    typeof value === 'number' ? [value] : value.flatMap(flat);
  return { shape, values: Float32Array.from(flat(nested)) };
};

/** One run of a whole network. */
export interface NetworkRun {
  readonly head: 'native' | 'text';
  /** As a caller would send it. */
  readonly input: string | NestedNumbers;
  readonly steps: number;
  readonly logits: readonly number[];
  /** Of each layer of neurons in the engine's order of axes: eight in a byte, in hexadecimal. */
  readonly spikes: Readonly<Record<string, string>>;
  readonly counts: {
    /** Of layers with weights; SpikingJelly's MACs of convolutions include their padding. */
    readonly layers: Readonly<
      Record<string, { readonly synapticEvents: number; readonly macs: number }>
    >;
    /** Of everything but neurons. */
    readonly totals: {
      readonly synapticEvents: number;
      readonly macs: number;
      readonly acs: number;
    };
    /** Products with the padding, by convolution. */
    readonly padding: Readonly<Record<string, number>>;
    /** Sums of spikes times the targets of each, by layers whose inputs are such sums. */
    readonly sums: Readonly<Record<string, number>>;
  };
  /** Of a Hopfield network: its energy from the cue on. */
  readonly energies?: readonly number[];
  /** How far one more update would move it. */
  readonly movesNext?: number;
  /** Of a logic tensor network: how far each rule holds. */
  readonly rules?: readonly number[];
}

export interface NetworkVectors {
  /** Of the weights that the port ran with. */
  readonly weightsSha256: string;
  readonly runs: readonly NetworkRun[];
  /** States of a CfC cell after one input, by the time that has passed. */
  readonly gating?: {
    readonly x: Rows;
    readonly state: Rows;
    readonly times: readonly number[];
    readonly states: Rows;
  };
}

export const networkVectors = (): Readonly<Record<string, NetworkVectors>> =>
  (read('networks') as { networks: Record<string, NetworkVectors> }).networks;
