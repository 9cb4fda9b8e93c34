/** The thread of the WebRTC peers of a process. Its end ends no session. */
import { workerData } from 'node:worker_threads';
import { portOfThread } from '#platform/threads/request-listener.js';
import { ThreadCalls } from '#platform/threads/thread-calls.js';
import { type PeerCalls, type PeerNews, type PeerSetting } from './peer.protocol.js';
import { ServedPeer } from './served-peer.js';

/** Videos of a process: each has an encoder. */
const VIDEOS_MAX = 16;

const peers = new Map<string, ServedPeer>();

const end = async (peer: string): Promise<void> => {
  const served = peers.get(peer);
  peers.delete(peer);
  await served?.close();
};

const calls: ThreadCalls<PeerNews, PeerCalls> = new ThreadCalls(portOfThread(), {
  negotiate: async ({ peer, sdp, video }) => {
    await end(peer);
    const videos = [...peers.values()].filter(({ hasVideo }) => hasVideo).length;
    const terms = videos < VIDEOS_MAX ? video : null;
    const served = new ServedPeer(workerData as PeerSetting, terms, {
      onChannel: (isOpen) => calls.tell('channel', { peer, isOpen }),
      onMessage: (message) => calls.tell('message', { peer, message }),
    });
    peers.set(peer, served);
    return served.answer(sdp);
  },
  send: async ({ peer, message }) => (await peers.get(peer)?.send(message)) ?? false,
  show: ({ peer, pixels }) => peers.get(peer)?.show(pixels),
  end: ({ peer }) => end(peer),
});
