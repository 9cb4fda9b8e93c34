import { startSpikingTraining } from './network.trainer.js';
import { writeNetwork } from './network.report.js';
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
