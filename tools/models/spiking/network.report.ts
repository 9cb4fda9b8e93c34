/** Writes the weights of a trained network and the card that describes them. */
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DOMAINS, readoutOf } from '#engines/spiking/heads.js';
import type {
  CardProgram,
  HeadCard,
  NestedNumbers,
  SpikingModelCard,
} from '#engines/spiking/model-card.js';
import type { Architecture, Head } from '#engines/spiking/model.js';
import type { NeuronModel } from '#engines/spiking/neurons/neuron.js';
import { continueText, runMetered } from '#engines/spiking/run.js';
import { Meter } from '#engines/spiking/telemetry/meter.js';
import { writeSafetensors, type NamedTensors } from '#platform/safetensors/safetensors.js';
import {
  accuracyOf,
  answersOf,
  calibrationErrorOf,
  fitTemperature,
  promptAnswersOf,
  type Answer,
} from './evaluation.js';
import { drawInputs, heldOutRandom, type ExampleSource, type InputSource } from './examples.js';
import { programOf } from './program.operations.js';
import type { InputTask, Rival } from './tasks/task.js';

/** How good a network is at its own task. */
export type NativeScore = Pick<SpikingModelCard, 'native' | 'accuracyByNeuron'>;

export interface TrainedNetwork extends InputSource {
  readonly weights: NamedTensors;
  readonly seed: number;
  readonly seconds: number;
  score(weights: NamedTensors): NativeScore;
}

type Classifier = ExampleSource & Pick<TrainedNetwork, 'weights' | 'seed'>;

const CALIBRATION_EXAMPLES = 500;
const HELD_OUT_EXAMPLES = 1000;
const DIGITS = 6;
/** Longer than any part of a text that a network reads before it goes on. */
const LONG_TEXT = 'text '.repeat(100);

const rounded = (value: number): number => Number(value.toFixed(DIGITS));

const majorityOf = (answers: readonly Answer[], classes: number): number => {
  const counts = Array.from({ length: classes }, (_, index) => {
    return answers.filter(({ label }) => label === index).length;
  });
  return Math.max(...counts) / answers.length;
};

/** The score of each rule on the examples that the network is scored on. */
const rivalCards = (
  { task, seed }: Classifier,
  rivals: readonly Rival[],
): HeadCard['baseline'][] => {
  const random = heldOutRandom(seed);
  const examples = Array.from({ length: HELD_OUT_EXAMPLES }, () => task.draw(random, 'held-out'));
  return rivals.map((rival) => {
    const right = examples.filter(({ input, label }) => rival.classify(input) === label);
    return { name: rival.name, accuracy: rounded(right.length / examples.length) };
  });
};

/** @param answersFor gives answers to held-out examples that are drawn from a seed */
const headCard = (
  { name, description, classes }: Pick<InputTask, 'name' | 'description' | 'classes'>,
  answersFor: (seed: number, count: number) => readonly Answer[],
  seed: number,
): HeadCard => {
  const temperature = rounded(fitTemperature(answersFor(seed + 1, CALIBRATION_EXAMPLES)));
  const answers = answersFor(seed, HELD_OUT_EXAMPLES);
  const majority = majorityOf(answers, classes.length);
  return {
    task: name,
    description,
    classes: [...classes],
    accuracy: rounded(accuracyOf(answers)),
    calibrationError: rounded(calibrationErrorOf(answers, temperature)),
    temperature,
    baseline: { name: 'always the most frequent class', accuracy: rounded(majority) },
    heldOutExamples: HELD_OUT_EXAMPLES,
  };
};

const PROMPTS = {
  name: 'prompt-domains',
  description: 'Prompts about subjects that no training prompt names; the class is the domain.',
  classes: DOMAINS,
} as const;

const textCard = (network: TrainedNetwork): HeadCard =>
  headCard(
    PROMPTS,
    (seed, count) => promptAnswersOf({ ...network, seed }, network.weights, count),
    network.seed,
  );

/** The score of a network that tells labelled examples apart. */
export const classifierScore = (network: Classifier): NativeScore => {
  const { architecture, task, weights } = network;
  const answersWith = (neuron: NeuronModel) => (seed: number, count: number) =>
    answersOf({ ...network, seed }, 'native', weights, neuron, count);
  const own = answersWith(architecture.neuron.model);
  const accuracyByNeuron = architecture.neuronModels.map((neuron) => {
    const answers = answersWith(neuron)(network.seed, CALIBRATION_EXAMPLES);
    return [neuron, rounded(accuracyOf(answers))] as const;
  });
  const native = headCard(task, own, network.seed);
  return {
    native: task.rivals ? { ...native, rivals: rivalCards(network, task.rivals) } : native,
    accuracyByNeuron: Object.fromEntries(accuracyByNeuron),
  };
};

interface Totals {
  readonly macs: number;
  readonly acs: number;
  readonly synapticEvents: number;
}

/** What a run of so many steps does at most: as if every neuron fired at every step. */
const mostOf = (network: TrainedNetwork, head: Head, steps: number): Totals => {
  const { architecture, task, weights } = network;
  const [x] = drawInputs({ ...network, steps }, head, 'held-out', network.seed, 1);
  if (x === undefined) throw new RangeError('the task gives no example');
  const options = { weights, steps, neuron: architecture.neuron.model, exhaustive: true };
  const readout = readoutOf(head, task.classes.length);
  const meter = new Meter();
  runMetered(architecture, x, readout, { ...options, meter });
  if (head === 'text' && architecture.continuation) {
    const { continuation } = architecture;
    const classes = task.classes.length;
    continueText(architecture, continuation, LONG_TEXT, classes, { ...options, meter });
  }
  const { layers } = meter;
  const sum = (figure: (layer: (typeof layers)[number]) => number): number =>
    layers.reduce((total, layer) => total + figure(layer), 0);
  const synapticEvents = sum((layer) => layer.synapticEventsMax);
  // Two multiplications for each step and each spike are what the costliest neuron needs.
  const macs = sum((layer) => layer.macs + 3 * layer.neuronSteps);
  const others = sum((layer) => layer.acs - layer.synapticEvents);
  // Additions of two layers of spikes count spikes: at most as many as the ANN's additions.
  return { macs, acs: synapticEvents + others + sum((layer) => layer.neuronSteps), synapticEvents };
};

const boundsOf = (network: TrainedNetwork): SpikingModelCard['bounds'] => {
  const worst = (steps: number): Totals => {
    const [native, text] = (['native', 'text'] as const).map((head) =>
      mostOf(network, head, steps),
    );
    const larger = (figure: keyof Totals): number =>
      Math.max(native?.[figure] ?? 0, text?.[figure] ?? 0);
    return {
      macs: larger('macs'),
      acs: larger('acs'),
      synapticEvents: larger('synapticEvents'),
    };
  };
  const [one, two] = [worst(1), worst(2)];
  const perStep = (figure: keyof Totals): number => two[figure] - one[figure];
  const once = (figure: keyof Totals): number => Math.max(0, one[figure] - perStep(figure));
  return {
    macs: once('macs'),
    macsPerTimestep: perStep('macs'),
    acs: once('acs'),
    acsPerTimestep: perStep('acs'),
    synapticEvents: once('synapticEvents'),
    synapticEventsPerTimestep: perStep('synapticEvents'),
  };
};

/** Row-major values as nested lists. */
const nested = (values: readonly number[], shape: readonly number[]): NestedNumbers => {
  const [length = 0, ...inner] = shape;
  if (inner.length === 0) return values;
  const size = values.length / length;
  return Array.from({ length }, (_, index) =>
    nested(values.slice(index * size, (index + 1) * size), inner),
  );
};

const exampleOf = ({ task, seed }: TrainedNetwork): NestedNumbers => {
  const { input } = task.draw(heldOutRandom(seed));
  const values = Array.from(input, (value) => Number(value.toFixed(3)));
  return nested(values, task.inputShape);
};

/** A held-out input of each head, in its program. */
const programsOf = (network: TrainedNetwork): SpikingModelCard['programs'] => {
  const { architecture, task, seed } = network;
  const of = (head: Head): CardProgram => {
    const [x] = drawInputs(network, head, 'held-out', seed, 1);
    if (x === undefined) throw new RangeError('the task gives no example');
    return programOf(architecture, head, x, task.classes.length, network);
  };
  return { native: of('native'), text: of('text') };
};

/** What a card says of the network itself, and nothing of its scores: the code decides it. */
export const describedBy = (
  network: TrainedNetwork,
): Pick<SpikingModelCard, 'bounds' | 'programs'> & ReturnType<typeof identityOf> => ({
  ...identityOf(network.architecture),
  bounds: boundsOf(network),
  programs: programsOf(network),
});

export const cardOf = (network: TrainedNetwork, file: Buffer): SpikingModelCard => {
  const { architecture } = network;
  const { native, accuracyByNeuron } = network.score(network.weights);
  const parameters = [...network.weights.values()].reduce(
    (sum, { values }) => sum + values.length,
    0,
  );
  return {
    ...identityOf(architecture),
    accuracyByNeuron,
    parameters,
    native,
    text: textCard(network),
    domains: [...DOMAINS],
    inputShape: [...network.task.inputShape],
    inputKind: architecture.input.kind,
    timesteps: network.steps,
    rasterLayer: architecture.rasterLayer,
    bounds: boundsOf(network),
    exampleInput: exampleOf(network),
    programs: programsOf(network),
    weightsSha256: createHash('sha256').update(file).digest('hex'),
    seed: network.seed,
    trainingSeconds: Math.round(network.seconds),
  };
};

const identityOf = ({
  name,
  slug,
  displayName,
  routingMode,
  architecture,
  neuronModels,
}: Architecture) => ({
  name,
  slug,
  displayName,
  routingMode,
  architecture,
  neuronModels: [...neuronModels],
});

/** @param folder the one that holds a folder for each network */
export const writeNetwork = async (
  folder: string,
  network: TrainedNetwork,
): Promise<SpikingModelCard> => {
  const file = writeSafetensors(network.weights);
  const card = cardOf(network, file);
  const own = path.join(folder, network.architecture.name);
  await mkdir(own, { recursive: true });
  await writeFile(path.join(own, 'model.safetensors'), file);
  await writeCard(own, card);
  return card;
};

/** Each operation on a line of its own. */
export const writeCard = async (
  folder: string,
  { programs, ...card }: SpikingModelCard,
): Promise<void> => {
  const written = Object.entries(programs).map(([head, { operations, output, example }]) => {
    const lines = operations.map((operation) => `      ${JSON.stringify(operation)}`);
    return [
      `    ${JSON.stringify(head)}: {`,
      `      "output": ${output},`,
      `      "example": ${JSON.stringify(example)},`,
      `      "operations": [\n  ${lines.join(',\n  ')}\n      ]`,
      '    }',
    ].join('\n');
  });
  const own = JSON.stringify(card, null, 2).slice(0, -'\n}'.length);
  const text = `${own},\n  "programs": {\n${written.join(',\n')}\n  }\n}\n`;
  await writeFile(path.join(folder, 'card.json'), text);
};
