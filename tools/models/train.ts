/**
 * Trains the models that Quipu ships: nano, the rest of its family, or the spiking networks.
 *
 *   npm run models:train [-- --seed N --out FOLDER --resume]
 *   npm run models:train -- family[/NAME] [--python FILE --out FOLDER --cache FOLDER --seed N]
 *   npm run models:train -- spiking[/NAME] [--out FOLDER]
 */
const [model = '', ...options] = process.argv.slice(2);
const [family, name = null] = model.split('/');

if (family === 'spiking') {
  const { trainSpiking } = await import('./spiking/spiking.train.js');
  const out = process.argv.indexOf('--out');
  await trainSpiking(name, process.argv[out === -1 ? -1 : out + 1] ?? 'models/spiking');
} else if (family === 'family') {
  const { familyOrder, trainFamily } = await import('./family/family.train.js');
  await trainFamily(familyOrder(options, name));
} else {
  await import('./nano.train.js');
}
