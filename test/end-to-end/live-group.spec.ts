import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Bootstrap } from '#apps/composition/bootstrap.js';
import { KillableQuipu } from '../fault/killable-quipu.js';
import { freePorts } from '../servers/server-process.js';
import { LiveClient, LIVE_CATALOG } from './live-client.fixture.js';
import { eventually } from './quipu.harness.js';

interface Frame {
  readonly frame_id: number;
  readonly delivered_by: string;
}

describe('a stream session on a port of several processes', () => {
  let home: string;
  let quipu: KillableQuipu;
  let key: string;

  beforeAll(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'quipu-live-group-'));
    const catalog = path.join(home, 'catalog.yaml');
    await writeFile(catalog, LIVE_CATALOG);
    const [port = 0] = await freePorts(1);
    quipu = new KillableQuipu(home, port, catalog, { QUIPU_PROCESSES: '2' });
    await quipu.start();
    const text = await readFile(path.join(home, 'bootstrap.json'), 'utf8');
    ({ api_key: key } = JSON.parse(text) as Bootstrap);
  });

  afterAll(async () => {
    await quipu.kill('SIGTERM');
    await rm(home, { recursive: true });
  });

  /** Each on a connection of its own, which the leader hands to the gateways in turn. */
  const post = async <Answer>(route: string, body: object): Promise<Answer> => {
    const response = await fetch(`${quipu.url}/api/v1/stream/${route}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        connection: 'close',
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
    return (await response.json()) as Answer;
  };

  it('has one picture, whichever process is asked for a frame', async () => {
    const opened = await post<{
      readonly session_token: string;
      readonly ws_signaling_url: string;
    }>('webrtc', { resolution: '32x32' });
    const asked = { session_token: opened.session_token };
    const ids: number[] = [];
    for (let frame = 0; frame < 6; frame += 1) {
      ids.push((await post<Frame>('diffuse', asked)).frame_id);
    }
    expect(ids).toEqual([1, 2, 3, 4, 5, 6]);
    const client = await LiveClient.connect(opened.ws_signaling_url);
    await client.offer();
    await eventually(() => client.isOpen);
    for (let frame = 0; frame < 4; frame += 1) {
      expect((await post<Frame>('diffuse', asked)).delivered_by).toBe('data_channel');
    }
    client.tell({ type: 'bye' });
    await eventually(() => client.closed !== null);
    await client.close();
  });
});
