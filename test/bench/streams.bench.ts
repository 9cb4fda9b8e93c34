/**
 * Measures the WebRTC peers of stream sessions on the loopback, with werift as the client: the time
 * from an offer to its open channel, frames of the embedded model that arrive in a second, and the
 * sessions that a core sustains. `npm run streams`. The client works on the same cores.
 */
import path from 'node:path';
// Relative, because this folder has a package.json of its own and with it no subpath imports.
import { loadModel } from '../../libs/engines/image-diffusion/model.js';
import { draw } from '../../libs/engines/image-diffusion/sampling/sampler.js';
import { pixelsOf } from '../../libs/engines/image-diffusion/sampling/pixels.js';
import { type Scene } from '../../libs/engines/image-diffusion/scene.js';
import { PeerThread } from '../../libs/engines/webrtc/peer-thread.js';
import { runPictureTask } from '../../libs/platform/pictures/picture-task.js';
import { messagesOf } from '../../libs/areas/live/frames/frame.message.js';
import { median } from './sample.js';
import { offeringClient, offerOf } from './stream-client.js';
import { measureSessions } from './stream-sessions.js';

const SCENE: Scene = {
  ...{ shape: 'star', colour: 'red', background: 'white', pattern: 'plain' },
  ...{ size: 'large', count: 'one', column: 'centre', row: 'middle' },
};
const [OFFERS, FRAMES, GUIDANCE, SIDE] = [15, 60, 2, 512];
const { denoiser } = loadModel([path.resolve('models')]);
const thread = new PeerThread({ ports: null, bind: '127.0.0.1', announced: null });

const openPeer = async (name: string, onMessage: () => void) => {
  const client = await offeringClient(onMessage);
  const opened = Promise.withResolvers<undefined>();
  const startedAt = performance.now();
  const sdp = await thread.negotiate(name, offerOf(client), {
    onChannel: (isOpen) => isOpen && opened.resolve(undefined),
    onMessage: () => undefined,
    onLost: () => opened.reject(new Error('the thread has ended')),
  });
  await client.setRemoteDescription({ type: 'answer', sdp });
  await opened.promise;
  return { client, elapsedMs: performance.now() - startedAt };
};

const elapsed: number[] = [];
for (let offer = 0; offer <= OFFERS; offer += 1) {
  const { client, elapsedMs } = await openPeer('a', () => undefined);
  // The first one loads the thread.
  if (offer === 0) process.stdout.write(`first offer to open: ${elapsedMs.toFixed(0)} ms\n`);
  else elapsed.push(elapsedMs);
  await client.close();
}
process.stdout.write(`offer to open, median of ${OFFERS}: ${median(elapsed).toFixed(0)} ms\n`);

for (const steps of [1, 2, 4, 8]) {
  let [received, sent, bytes] = [0, 0, 0];
  const { client } = await openPeer(`frames-${steps}`, () => (received += 1));
  const startedAt = performance.now();
  for (let frame = 0; frame < FRAMES; frame += 1) {
    const numbers = draw(denoiser, {
      ...{ scene: SCENE, seed: frame, steps, guidance: GUIDANCE, start: null },
    });
    const picture = { width: 32, height: 32, pixels: new Uint8Array(pixelsOf(numbers)) };
    const size = { width: SIDE, height: SIDE };
    const end = runPictureTask({ kind: 'encode', picture, size });
    const file = 'file' in end ? end.file : new Uint8Array();
    const header = { frame_id: frame, stamp_ms: 0, ...size, resampled_from: '32x32', steps };
    bytes += file.length;
    for (const message of messagesOf({ ...header, model: 'quipu-scenes' }, file)) {
      sent += 1;
      await thread.send(`frames-${steps}`, message);
    }
  }
  const seconds = (performance.now() - startedAt) / 1e3;
  for (let tries = 0; tries < 100 && received < sent; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  process.stdout.write(
    `${steps} steps at ${SIDE}x${SIDE}: ${(FRAMES / seconds).toFixed(1)} frames/s of ` +
      `${(bytes / FRAMES / 1e3).toFixed(0)} kB, ${received} of ${sent} messages arrived\n`,
  );
  await client.close();
}
await measureSessions(thread);
await thread.close();
