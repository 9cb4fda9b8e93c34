/**
 * Trains the models that Quipu ships: the built-in language model, the spiking networks, or the
 * embedding models.
 *
 *   npm run models:train [-- --seed N --out FOLDER --resume]
 *   npm run models:train -- spiking[/NAME] [--out FOLDER]
 *   npm run models:train -- embeddings[/NAME] [--out FOLDER]
 */
const [model = ''] = process.argv.slice(2);
const [family, name = null] = model.split('/');

const outOr = (folder: string): string => {
  const out = process.argv.indexOf('--out');
  return process.argv[out === -1 ? -1 : out + 1] ?? folder;
};

if (family === 'spiking') {
  const { trainSpiking } = await import('./spiking/spiking.train.js');
  await trainSpiking(name, outOr('models/spiking'));
} else if (family === 'embeddings') {
  const { trainEmbeddings } = await import('./embeddings/embeddings.train.js');
  await trainEmbeddings(name, outOr('models/embeddings'));
} else {
  await import('./nano.train.js');
}
