import { startSpikingTraining, NetworkTrainer } from './network.trainer.js';
import { writeNetwork } from './network.report.js';
import { RECIPES } from './recipes.js';
import type { Recipe } from './recipe.js';

const train = async (recipe: Recipe, folder: string): Promise<void> => {
  const { architecture, task, steps, seed } = recipe;
  const startedAt = performance.now();
  const trainer = new NetworkTrainer(recipe);
  trainer.run((step, loss) => {
    process.stdout.write(`${JSON.stringify({ name: architecture.name, step, loss })}\n`);
  });
  const weights = trainer.parameters.weights();
  trainer.parameters.dispose();
  const seconds = (performance.now() - startedAt) / 1000;
  const card = await writeNetwork(folder, { architecture, task, steps, seed, weights, seconds });
  const { native, text, parameters } = card;
  const scores = { native: native.accuracy, text: text.accuracy, parameters, seconds };
  process.stdout.write(`${JSON.stringify({ name: architecture.name, ...scores })}\n`);
};

/**
 * Trains the spiking networks and writes their weights and cards to folders under `folder`.
 * @param name one network, or null for all
 * @throws RangeError for a name that no network has
 */
export const trainSpiking = async (name: string | null, folder: string): Promise<void> => {
  const chosen = RECIPES.filter(({ architecture }) => name === null || architecture.name === name);
  if (chosen.length === 0) {
    const known = RECIPES.map(({ architecture }) => architecture.name).join(', ');
    throw new RangeError(`there is no spiking network ${name}; there are ${known}`);
  }
  await startSpikingTraining();
  for (const recipe of chosen) await train(recipe, folder);
};
