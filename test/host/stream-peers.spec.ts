/** The peers of stream sessions with libdatachannel as the client: other code on the other side. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import nodeDataChannel from 'node-datachannel';
import { eventually } from '#platform/kernel/eventually.fixture.js';
import { messagesOf } from '#areas/live/frames/frame.message.js';
import { turnServers } from '#areas/live/turn-credentials.js';
import { type PeerMessage } from '#engines/webrtc/peer.protocol.js';
import { PeerThread } from '#engines/webrtc/peer-thread.js';
import { requireProgram } from '../servers/required-program.js';
import { freePorts } from '../servers/server-process.js';

type Configuration = ConstructorParameters<typeof nodeDataChannel.PeerConnection>[1];

const FRAMES = 20;
const SECRET = 'north-by-north-west';
const HEADER = { frame_id: 1, stamp_ms: 0, width: 64, height: 64, resampled_from: '32x32' };
const MESSAGES = messagesOf({ ...HEADER, steps: 2, model: 'quipu-scenes' }, Buffer.alloc(90_000));

describe('the peers of stream sessions and libdatachannel', () => {
  const thread = new PeerThread({ ports: null, bind: '127.0.0.1', announced: null });

  afterAll(async () => {
    await thread.close();
    nodeDataChannel.cleanup();
  });

  /** A client whose offer is complete. */
  const offering = async (configuration: Configuration) => {
    const client = new nodeDataChannel.PeerConnection('client', configuration);
    const isGathered = Promise.withResolvers<undefined>();
    client.onGatheringStateChange((state) => {
      if (state === 'complete') isGathered.resolve(undefined);
    });
    const channel = client.createDataChannel('frames', { unordered: true });
    client.setLocalDescription();
    await isGathered.promise;
    return { client, channel, offer: client.localDescription()?.sdp ?? '' };
  };

  it('exchange frames and messages', async () => {
    const { client, channel, offer } = await offering({ iceServers: [] });
    const lengths: number[] = [];
    channel.onMessage((message) => lengths.push(Buffer.from(message as Uint8Array).length));
    const heard: PeerMessage[] = [];
    let isOpen = false;
    const sdp = await thread.negotiate('client', offer, {
      onChannel: (state) => (isOpen = state),
      onMessage: (message) => heard.push(message),
      onLost: () => undefined,
    });
    client.setRemoteDescription(sdp, 'answer');
    await eventually(() => isOpen && channel.isOpen());
    for (let frame = 0; frame < FRAMES; frame += 1) {
      for (const message of MESSAGES) expect(await thread.send('client', message)).toBe(true);
    }
    expect(channel.sendMessage('echo')).toBe(true);
    await eventually(() => lengths.length === FRAMES * MESSAGES.length && heard.length === 1);
    expect(new Set(lengths)).toEqual(new Set(MESSAGES.map(({ length }) => length)));
    expect(heard).toEqual(['echo']);
    client.close();
    await eventually(() => !isOpen);
  });

  it('get a relayed address of coturn by the credentials of the gateway', async () => {
    const program = await requireProgram('turnserver');
    const [port = 0] = await freePorts(1);
    const options = [
      ...['--no-cli', '--no-tls', '--no-dtls', '--log-file=stdout', '--listening-ip=127.0.0.1'],
      ...['--relay-ip=127.0.0.1', '--allow-loopback-peers', '--use-auth-secret', '-n'],
      ...[`--static-auth-secret=${SECRET}`, '--realm=quipu', `--listening-port=${port}`],
    ];
    const coturn = spawn(program, options, { stdio: 'ignore' });
    const ended = once(coturn, 'exit');
    try {
      await sleep(1_000);
      const urls = [`turn:127.0.0.1:${port}`];
      const relayed = async (secret: string): Promise<boolean> => {
        const [server] = turnServers({ urls, secret }, 'session', Date.now() + 60_000);
        const relay = {
          ...{ hostname: '127.0.0.1', port, relayType: 'TurnUdp' as const },
          ...{ username: server?.username ?? '', password: server?.credential ?? '' },
        };
        const { client, offer } = await offering({ iceServers: [relay] });
        client.close();
        return offer.includes('typ relay');
      };
      expect(await relayed(SECRET)).toBe(true);
      expect(await relayed(`${SECRET}-other`)).toBe(false);
    } finally {
      coturn.kill('SIGTERM');
      await ended;
    }
  });
});
