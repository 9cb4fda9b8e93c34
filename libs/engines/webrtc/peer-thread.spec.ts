import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { RTCPeerConnection } from 'werift';
import { eventually } from '#platform/kernel/eventually.fixture.js';
import { type PeerMessage } from './peer.protocol.js';
import { type PeerEvents, PeerThread } from './peer-thread.js';

class Heard implements PeerEvents {
  isOpen = false;
  isLost = false;
  readonly messages: PeerMessage[] = [];
  readonly onChannel = (isOpen: boolean): void => {
    this.isOpen = isOpen;
  };
  readonly onMessage = (message: PeerMessage): void => {
    this.messages.push(message);
  };
  readonly onLost = (): void => {
    this.isLost = true;
  };
}

describe('the peers of a process', () => {
  const ending: (() => Promise<void>)[] = [];

  afterEach(async () => {
    for (const end of ending.splice(0)) await end();
  });

  const openTo = (announced: string | null) =>
    new PeerThread({ ports: null, bind: '127.0.0.1', announced });
  const thread = openTo(null);

  afterAll(() => thread.close());

  const clientOf = async (thread: PeerThread, name: string) => {
    const client = new RTCPeerConnection({ iceServers: [], iceUseIpv6: false });
    ending.push(() => client.close());
    const channel = client.createDataChannel('frames', { ordered: false });
    await client.setLocalDescription(await client.createOffer());
    const heard = new Heard();
    const sdp = await thread.negotiate(name, client.localDescription?.sdp ?? '', heard);
    return { client, channel, heard, sdp };
  };

  it('exchange messages over the channel of the client', async () => {
    const { client, channel, heard, sdp } = await clientOf(thread, 'a');
    expect(sdp).toContain('a=ice-lite');
    const received: (string | Buffer)[] = [];
    channel.onMessage.subscribe((message) => received.push(message));
    await client.setRemoteDescription({ type: 'answer', sdp });
    await eventually(() => heard.isOpen && channel.readyState === 'open');
    expect(await thread.send('a', 'notice')).toBe(true);
    expect(await thread.send('a', Buffer.alloc(40_000, 7))).toBe(true);
    channel.send('echo');
    channel.send(Buffer.from('picture'));
    await eventually(() => received.length === 2 && heard.messages.length === 2);
    expect(received.map(({ length }) => length)).toEqual([6, 40_000]);
    expect(heard.messages[0]).toBe('echo');
    expect(Buffer.from(heard.messages[1] ?? '').toString()).toBe('picture');
    thread.end('a');
    expect(await thread.send('a', 'more')).toBe(false);
  });

  it('announce the address of a NAT in place of their own', async () => {
    const nat = openTo('198.51.100.7');
    ending.push(() => nat.close());
    const { sdp } = await clientOf(nat, 'a');
    const candidates = sdp.split('\r\n').filter((line) => line.startsWith('a=candidate:'));
    expect(candidates.length).toBeGreaterThan(0);
    for (const line of candidates) expect(line.split(' ')[4]).toBe('198.51.100.7');
  });

  it.each([
    ['no SDP', 'hello'],
    ['many media', `v=0\r\n${'m=video 9 UDP/TLS/RTP/SAVPF 96\r\n'.repeat(400)}`],
    ['no channel', 'v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\n'],
  ])('do not answer an offer with %s, and answer the next one', async (_, sdp) => {
    const negotiating = thread.negotiate('a', sdp, new Heard());
    await expect(negotiating).rejects.toMatchObject({ code: 'sdp' });
    expect((await clientOf(thread, 'a')).sdp).toContain('m=application');
  });

  it('may end alone: the process stays, and the next offer starts others', async () => {
    const { heard } = await clientOf(thread, 'a');
    await thread.close();
    expect(heard.isLost).toBe(true);
    expect(await thread.send('a', 'more')).toBe(false);
    expect((await clientOf(thread, 'b')).sdp).toContain('m=application');
  });
});
