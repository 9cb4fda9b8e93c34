import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { SpikingModelCard } from '#engines/spiking/model-card.js';
import { weightsOf } from '#engines/spiking/model-store.js';
import { startSpikingTraining } from './network.trainer.js';
import { describedBy, writeCard, writeNetwork } from './network.report.js';
import { PLANS, type TrainingPlan } from './plan.js';

const print = (line: object): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`);
};

const train = async (plan: TrainingPlan, folder: string): Promise<void> => {
  const { name } = plan.architecture;
  const startedAt = performance.now();
  const weights = plan.learn((step, figure) => print({ name, step, figure }));
  const seconds = (performance.now() - startedAt) / 1000;
  const card = await writeNetwork(folder, { ...plan, weights, seconds });
  const { native, text, parameters, accuracyByNeuron } = card;
  const own =
    'accuracy' in native
      ? { native: native.accuracy, accuracyByNeuron }
      : { meanReturn: native.meanReturn, meanReturnByNeuron: native.meanReturnByNeuron };
  print({ name, ...own, text: text.accuracy, parameters, seconds });
};

/**
 * Writes the cards of stored networks again where the code describes them, and trains nothing. The
 * cards may lack what this adds.
 */
export const describeSpiking = async (root: string): Promise<void> => {
  for (const plan of PLANS) {
    const { name } = plan.architecture;
    const folder = path.join(root, name);
    const text = await readFile(path.join(folder, 'card.json'), 'utf8');
    const card = JSON.parse(text) as SpikingModelCard;
    const weights = await weightsOf({ card, folder });
    const described = describedBy({ ...plan, weights, seconds: card.trainingSeconds });
    await writeCard(folder, SpikingModelCard.parse({ ...card, ...described }));
    print({ name, described: true });
  }
};

/**
 * Trains the spiking networks and writes their weights and cards to folders under `folder`.
 * @param name one network, or null for all
 * @throws RangeError for a name that no network has
 */
export const trainSpiking = async (name: string | null, folder: string): Promise<void> => {
  const chosen = PLANS.filter(({ architecture }) => name === null || architecture.name === name);
  if (chosen.length === 0) {
    const known = PLANS.map(({ architecture }) => architecture.name).join(', ');
    throw new RangeError(`there is no spiking network ${name}; there are ${known}`);
  }
  await startSpikingTraining();
  for (const plan of chosen) await train(plan, folder);
};
