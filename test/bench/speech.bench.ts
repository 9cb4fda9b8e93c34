/**
 * Measures the embedded speech recognizer, one window after the other, and with `--python PROGRAM`
 * librosa and PyTorch with the same weights in turns: `npm run speech -- --python PROGRAM`. Both
 * have one thread. CPU time counts, since the machine may be shared.
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
// Relative, because this folder has a package.json of its own and with it no subpath imports.
import { Recognizer } from '../../libs/engines/speech-recognition/recognizer.js';
import { loadSpeechModel } from '../../libs/engines/speech-recognition/speech-model.js';
import { median } from './sample.js';
import { cpuSecondsOf, torchPeer } from './torch-peer.js';

const ROUNDS = 15;
const RATE = 16_000;
/** A short command, and a window of a longer recording. */
const LENGTHS = [2, 20] as const;

const { values } = parseArgs({ options: { python: { type: 'string' } } });
const recognizer = new Recognizer(await loadSpeechModel([path.resolve('models')]));

/** Tones that glide, with bursts. */
const signalOf = (seconds: number): Float32Array =>
  Float32Array.from({ length: seconds * RATE }, (_, at) => {
    const time = at / RATE;
    const tone = 0.3 * Math.sin(2 * Math.PI * (200 + 900 * time) * time);
    return tone * (0.5 + 0.5 * Math.sin(2 * Math.PI * 3 * time));
  });

const peer = values.python === undefined ? null : torchPeer(values.python, 'speech');
for (const seconds of LENGTHS) {
  const samples = signalOf(seconds);
  const hear = (): number => cpuSecondsOf(() => recognizer.listen(samples));
  hear();
  await peer?.seconds(seconds);
  const [own, theirs]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    own.push(hear());
    if (peer) theirs.push(await peer.seconds(seconds));
  }
  const factor = median(own) / seconds;
  process.stdout.write(`${seconds} s of sound: real-time factor ${factor.toFixed(4)} (CPU time)`);
  if (peer) {
    const theirFactor = median(theirs) / seconds;
    const times = (theirFactor / factor).toFixed(2);
    process.stdout.write(`; PyTorch ${theirFactor.toFixed(4)}, ${times} times as fast here`);
  }
  process.stdout.write('\n');
}
peer?.close();
