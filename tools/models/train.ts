/**
 * Trains the models that Quipu ships: the built-in language model, or the spiking networks.
 *
 *   npm run models:train [-- --seed N --out FOLDER --resume]
 *   npm run models:train -- spiking[/NAME] [--out FOLDER]
 */
const [model = ''] = process.argv.slice(2);
const [family, name = null] = model.split('/');

if (family === 'spiking') {
  const { trainSpiking } = await import('./spiking/spiking.train.js');
  const out = process.argv.indexOf('--out');
  await trainSpiking(name, process.argv[out === -1 ? -1 : out + 1] ?? 'models/spiking');
} else {
  await import('./nano.train.js');
}
