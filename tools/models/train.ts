/**
 * Trains the models that Quipu ships: nano, the rest of its family, the adapters, the spiking
 * networks, the embedding models, the image model, the detector, or the speech recognizer.
 *
 *   npm run models:train [-- --seed N --out FOLDER --resume]
 *   npm run models:train -- family[/NAME] [--python FILE --out FOLDER --cache FOLDER --seed N]
 *   npm run models:train -- adapters[/SLUG] [--python PROGRAM --out FOLDER]
 *   npm run models:train -- spiking[/NAME] [--out FOLDER]
 *   npm run models:train -- spiking --cards                    # describe the stored networks again
 *   npm run models:train -- embeddings[/NAME] [--out FOLDER]
 *   npm run models:train -- images [--python PROGRAM --steps N --out FOLDER --cache FOLDER --card]
 *   npm run models:train -- vision [--python PROGRAM --steps N --out FOLDER --cache FOLDER --card]
 *   npm run models:train -- speech [--python PROGRAM --out FOLDER --cache FOLDER]
 *   npm run models:train -- speech --card                      # scores the last checkpoint
 *   npm run models:train -- corpora [--out FOLDER]            # the texts of jobs
 */
const [model = '', ...options] = process.argv.slice(2);
const [family, name = null] = model.split('/');

const optionOf = (option: string, fallback: string): string => {
  const at = process.argv.indexOf(option);
  return (at === -1 ? undefined : process.argv[at + 1]) ?? fallback;
};

if (family === 'spiking' && options.includes('--cards')) {
  const { describeSpiking } = await import('./spiking/spiking.train.js');
  await describeSpiking(optionOf('--out', 'models/spiking'));
} else if (family === 'spiking') {
  const { trainSpiking } = await import('./spiking/spiking.train.js');
  await trainSpiking(name, optionOf('--out', 'models/spiking'));
} else if (family === 'family') {
  const { familyOrder, trainFamily } = await import('./family/family.train.js');
  await trainFamily(familyOrder(options, name));
} else if (family === 'embeddings') {
  const { trainEmbeddings } = await import('./embeddings/embeddings.train.js');
  await trainEmbeddings(name, optionOf('--out', 'models/embeddings'));
} else if (family === 'images') {
  const { trainImages } = await import('./images/images.train.js');
  await trainImages({
    python: optionOf('--python', 'python3'),
    steps: Number(optionOf('--steps', '12000')),
    out: optionOf('--out', 'models/images'),
    cache: optionOf('--cache', '.cache/models/images'),
    cardAlone: options.includes('--card'),
  });
} else if (family === 'vision') {
  const { trainVision } = await import('./vision/vision.train.js');
  await trainVision({
    python: optionOf('--python', 'python3'),
    steps: Number(optionOf('--steps', '2000')),
    out: optionOf('--out', 'models/vision'),
    cache: optionOf('--cache', '.cache/models/vision'),
    cardAlone: options.includes('--card'),
  });
} else if (family === 'corpora') {
  const { writeCorpora } = await import('./corpora.write.js');
  await writeCorpora(optionOf('--out', 'models/corpora'));
} else if (family === 'speech') {
  const { describeSpeech, trainSpeech } = await import('./speech/speech.train.js');
  const cache = optionOf('--cache', '.cache/models/speech');
  const out = optionOf('--out', 'models/speech');
  if (options.includes('--card')) await describeSpeech({ cache, out });
  else await trainSpeech({ python: optionOf('--python', 'python3'), cache, out });
} else if (family === 'adapters') {
  const { trainAdapters } = await import('./adapters/adapters.train.js');
  const python = optionOf('--python', 'python3');
  await trainAdapters({ slug: name, python, out: optionOf('--out', 'models/adapters') });
} else {
  await import('./nano.train.js');
}
