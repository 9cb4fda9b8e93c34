/** The video of stream sessions in Chromium: another implementation of WebRTC and of VP8. */
import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Browser, chromium, type Page } from 'playwright-core';
import { eventually } from '#platform/kernel/eventually.fixture.js';
import { PeerThread } from '#engines/webrtc/peer-thread.js';
import { Vp8Encoder, WAITING_MAX } from '#engines/webrtc/vp8-encoder.js';
import { requireProgram } from '../servers/required-program.js';

const TERMS = { side: 32, width: 256, height: 128, fps: 20 };
const QUIET = ['--disable-quic', '--disable-background-networking', '--no-sandbox'];
const RED = Buffer.alloc(TERMS.side ** 2 * 3).map((_, at) => (at % 3 === 0 ? 220 : 20));

/** Offers a data channel and a video; runs in the page. */
const OFFER = `(async () => {
  const peer = new RTCPeerConnection();
  window.peer = peer;
  window.channel = peer.createDataChannel('frames', { ordered: false });
  window.heard = new Promise((resolve) => {
    window.channel.onmessage = ({ data }) => resolve(data);
  });
  peer.addTransceiver('video', { direction: 'recvonly' });
  peer.addEventListener('track', ({ track }) => {
    window.video = document.createElement('video');
    Object.assign(window.video, { muted: true, autoplay: true });
    window.video.srcObject = new MediaStream([track]);
    document.body.append(window.video);
  });
  await peer.setLocalDescription(await peer.createOffer());
  return peer.localDescription.sdp;
})()`;
const answerOf = (sdp: string): string =>
  `peer.setRemoteDescription({ type: 'answer', sdp: ${JSON.stringify(sdp)} })`;
const DECODED = `peer.getStats().then((stats) => {
  for (const report of stats.values()) {
    if (report.type === 'inbound-rtp' && report.kind === 'video') {
      return [report.framesDecoded ?? 0, report.frameWidth ?? 0, report.frameHeight ?? 0];
    }
  }
  return [0, 0, 0];
})`;
/** The colour in the middle of the video. */
const COLOUR = `(() => {
  const canvas = new OffscreenCanvas(256, 128);
  const context = canvas.getContext('2d');
  context.drawImage(window.video, 0, 0);
  return [...context.getImageData(128, 64, 1, 1).data];
})()`;

/** The processes of ffmpeg that this process has started. */
const encoders = async (): Promise<number> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const statuses = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')),
  );
  const own = new RegExp(`\\(ffmpeg\\) [^Z] ${process.pid} `);
  return statuses.filter((status) => own.test(status)).length;
};

describe('the video of a stream session', () => {
  const network = { ports: null, bind: '127.0.0.1', announced: null };
  const threads: PeerThread[] = [];
  let browser: Browser;

  beforeAll(async () => {
    await requireProgram('ffmpeg');
    browser = await chromium.launch({
      executablePath: await requireProgram('chromium'),
      args: QUIET,
    });
  });

  afterAll(async () => {
    await browser.close();
    for (const thread of threads) await thread.close();
  });

  const connect = async (encoder?: string) => {
    const thread = new PeerThread(network, encoder);
    threads.push(thread);
    const page: Page = await browser.newPage();
    const state = { isOpen: false };
    const events = {
      onChannel: (isOpen: boolean) => (state.isOpen = isOpen),
      onMessage: () => undefined,
      onLost: () => undefined,
    };
    const offer = await page.evaluate<string>(OFFER);
    const sdp = await thread.negotiate('client', offer, events, TERMS);
    await page.evaluate(answerOf(sdp));
    await eventually(() => state.isOpen);
    return { thread, page, sdp };
  };

  it('is decoded frame by frame, has its colours, and ends with the peer', async () => {
    const { thread, page, sdp } = await connect();
    expect(sdp).toContain('a=sendonly');
    const pictures = setInterval(() => thread.show('client', RED), 50);
    try {
      const decoded = () => page.evaluate<[number, number, number]>(DECODED);
      await eventually(async () => (await decoded())[0] >= 5);
      const [before, ...size] = await decoded();
      expect(size).toEqual([TERMS.width, TERMS.height]);
      await eventually(async () => (await decoded())[0] >= before + 20);
      await eventually(async () => {
        const [red = 0, green = 255, blue = 255] = await page.evaluate<number[]>(COLOUR);
        return red > 180 && Math.max(green, blue) < 60;
      });
      expect(await encoders()).toBe(1);
    } finally {
      clearInterval(pictures);
    }
    thread.end('client');
    await eventually(async () => (await encoders()) === 0);
  });

  it('ends with the thread of the peers', async () => {
    const { thread } = await connect();
    thread.show('client', RED);
    await eventually(async () => (await encoders()) === 1);
    await thread.close();
    await eventually(async () => (await encoders()) === 0);
  });

  it('leaves out pictures that come faster than it is encoded', async () => {
    let frames = 0;
    const encoder = new Vp8Encoder('ffmpeg', TERMS, () => (frames += 1));
    try {
      for (let picture = 0; picture < 100; picture += 1) encoder.encode(RED);
      await eventually(() => frames === WAITING_MAX);
      encoder.encode(RED);
      await eventually(() => frames > WAITING_MAX);
      expect(frames).toBe(WAITING_MAX + 1);
    } finally {
      encoder.close();
    }
  });

  it('is rejected without ffmpeg, and the channel works alone', async () => {
    const { thread, page, sdp } = await connect('quipu-no-ffmpeg');
    expect(await thread.encodesVideo()).toBe(false);
    expect(sdp).toMatch(/m=video 0 /);
    expect(await thread.send('client', 'frame')).toBe(true);
    expect(await page.evaluate('window.heard')).toBe('frame');
  });
});
