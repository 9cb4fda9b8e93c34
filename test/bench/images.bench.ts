/**
 * Measures the embedded image model, one picture after the other, and with `--python PROGRAM`
 * PyTorch with the same weights in turns: `npm run images -- --python PROGRAM`. Both have one
 * thread. CPU time counts, since the machine may be shared.
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
// Relative, because this folder has a package.json of its own and with it no subpath imports.
import { loadModel } from '../../libs/engines/image-diffusion/model.js';
import { draw } from '../../libs/engines/image-diffusion/sampling/sampler.js';
import { type Scene } from '../../libs/engines/image-diffusion/scene.js';
import { runPictureTask } from '../../libs/platform/pictures/picture-task.js';
import { median } from './sample.js';
import { cpuSecondsOf, torchPeer } from './torch-peer.js';

const SCENE: Scene = {
  shape: 'star',
  colour: 'red',
  background: 'white',
  pattern: 'plain',
  size: 'large',
  count: 'one',
  column: 'centre',
  row: 'middle',
};
const [ROUNDS, GUIDANCE] = [15, 2];
const STEPS = [8, 16, 32] as const;

const { values } = parseArgs({ options: { python: { type: 'string' } } });
const { denoiser } = loadModel([path.resolve('models')]);

const drawn = (steps: number): number =>
  cpuSecondsOf(() =>
    draw(denoiser, { scene: SCENE, seed: 7, steps, guidance: GUIDANCE, start: null }),
  );

const peer = values.python === undefined ? null : torchPeer(values.python, 'images');
drawn(8);
for (const steps of STEPS) {
  const [own, theirs]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    own.push(drawn(steps));
    if (peer) theirs.push(await peer.seconds(steps));
  }
  const rate = 1 / median(own);
  process.stdout.write(`${steps} steps: ${rate.toFixed(2)} pictures/CPU s`);
  if (peer) {
    const theirRate = 1 / median(theirs);
    const times = (rate / theirRate).toFixed(2);
    process.stdout.write(`; PyTorch ${theirRate.toFixed(2)}, ${times} times as many here`);
  }
  process.stdout.write('\n');
}
peer?.close();
const picture = { width: 32, height: 32, pixels: new Uint8Array(3_072) };
const size = { width: 1_024, height: 1_024 };
const seconds = Array.from({ length: ROUNDS }, () =>
  cpuSecondsOf(() => runPictureTask({ kind: 'encode', picture, size })),
);
process.stdout.write(`a file of 1024x1024: ${(1e3 * median(seconds)).toFixed(1)} CPU ms\n`);
