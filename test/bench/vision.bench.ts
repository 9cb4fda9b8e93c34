/**
 * Measures the embedded detector, one frame after the other, and with `--python PROGRAM` PyTorch
 * with the same weights in turns: `npm run vision -- --python PROGRAM`. Both have one thread. CPU
 * time counts, since the machine may be shared.
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
// Relative, because this folder has a package.json of its own and with it no subpath imports.
import { lookAt } from '../../libs/engines/vision/look-task.js';
import { DETECTOR_SIDE } from '../../libs/engines/vision/network/detector.js';
import { loadVisionModel } from '../../libs/engines/vision/vision-model.js';
import { FRAME_SIDE, VISION_MODES } from '../../libs/engines/vision/vision.protocol.js';
import { median } from './sample.js';
import { cpuSecondsOf, torchPeer } from './torch-peer.js';

const [ROUNDS, FRAMES] = [15, 20] as const;

const { values } = parseArgs({ options: { python: { type: 'string' } } });
const model = loadVisionModel([path.resolve('models')]);
const frame = new Float32Array(3 * DETECTOR_SIDE * DETECTOR_SIDE).fill(0.5);

const secondsOf = (work: () => unknown): number =>
  cpuSecondsOf(() => {
    for (let at = 0; at < FRAMES; at += 1) work();
  }) / FRAMES;

const peer = values.python === undefined ? null : torchPeer(values.python, 'vision');
const [own, theirs]: [number[], number[]] = [[], []];
secondsOf(() => model.detector.run(frame));
for (let round = 0; round < ROUNDS; round += 1) {
  own.push(secondsOf(() => model.detector.run(frame)));
  if (peer) theirs.push((await peer.seconds(FRAMES)) / FRAMES);
}
peer?.close();
const rate = 1 / median(own);
process.stdout.write(`the network: ${rate.toFixed(0)} frames/CPU s`);
if (peer) {
  const theirRate = 1 / median(theirs);
  const times = (rate / theirRate).toFixed(2);
  process.stdout.write(`; PyTorch ${theirRate.toFixed(0)}, ${times} times as many here`);
}
process.stdout.write('\n');
const pixels = Buffer.alloc(3 * FRAME_SIDE * FRAME_SIDE, 128).toString('base64');
for (const mode of VISION_MODES) {
  const task = { mode, width: FRAME_SIDE, height: FRAME_SIDE, pixels, background: null };
  const looks = Array.from({ length: ROUNDS }, () =>
    secondsOf(() => lookAt(model, { ...task, confidence: 0.3, overlap: 0.5 })),
  );
  process.stdout.write(`${mode}: ${(1 / median(looks)).toFixed(0)} frames/CPU s\n`);
}
