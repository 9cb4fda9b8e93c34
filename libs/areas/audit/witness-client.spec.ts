import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { checkpointText, verifyCheckpoint } from '#platform/audit/checkpoint.js';
import { EMPTY_ROOT } from '#platform/audit/merkle.js';
import { ED25519_COSIGNATURE, NoteSigner } from '#platform/audit/signed-note.js';
import { Cosigner } from './cosigner.js';
import { WitnessClient, WitnessError } from './witness-client.js';

const log = new NoteSigner('quipu.test/log', Buffer.alloc(32, 1));
const signer = new NoteSigner('witness.test/w1', Buffer.alloc(32, 2), ED25519_COSIGNATURE);
const other = new NoteSigner('witness.test/w2', Buffer.alloc(32, 3), ED25519_COSIGNATURE);

const TIMEOUT_MS = 300;
const body = checkpointText({ origin: 'quipu.test/log', size: 9, root: EMPTY_ROOT });
const note = `${body}\n${log.sign(body)}`;
const PROOF = [Buffer.alloc(32, 8), Buffer.alloc(32, 9)];
const checkpoint = { size: 9, note, consistency: () => Promise.resolve(PROOF) };

type Reply = { readonly status: number; readonly body: string } | 'hangs';

describe('the client of a witness', () => {
  let server: Server;
  let replies: Reply[];
  let received: string[];
  let client: WitnessClient;

  beforeEach(async () => {
    replies = [];
    received = [];
    server = createServer((request, response) => {
      void text(request).then((sent) => {
        received.push(`${request.method ?? ''} ${request.url ?? ''}\n${sent}`);
        const reply = replies.shift() ?? 'hangs';
        if (reply === 'hangs') return;
        response.writeHead(reply.status).end(reply.body);
      });
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/prefix`;
    client = new WitnessClient({ url, key: signer.key }, TIMEOUT_MS);
  });

  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const line = signer.sign(body, 1_679_315_147);

  it('submits the checkpoint, and takes the line of the key that it knows', async () => {
    replies.push({ status: 200, body: `${other.sign(body, 1)}${line}` });
    expect(await client.cosign(checkpoint)).toBe(line);
    expect(received).toEqual([`POST /prefix/add-checkpoint\nold 0\n\n${note}`]);
    const cosigned = verifyCheckpoint(`${note}${line}`, log.key, [signer.key]);
    expect(cosigned.witnesses).toEqual([signer.key]);
  });

  it('proves the consistency with the size that the witness states', async () => {
    replies.push({ status: 409, body: '4\n' }, { status: 200, body: line });
    expect(await client.cosign(checkpoint)).toBe(line);
    const hashes = PROOF.map((hash) => `${hash.toString('base64')}\n`).join('');
    expect(received[1]).toBe(`POST /prefix/add-checkpoint\nold 4\n${hashes}\n${note}`);
    replies.push({ status: 200, body: line });
    await client.cosign(checkpoint);
    expect(received[2]).toContain('\nold 9\n');
  });

  it.each<[string, Reply[], string]>([
    ['rejects the checkpoint', [{ status: 403, body: '' }], 'answered 403'],
    ['has seen a longer log', [{ status: 409, body: '10\n' }], 'knows another log'],
    ['states no size', [{ status: 409, body: 'ten' }], 'knows another log'],
    [
      'conflicts twice',
      [
        { status: 409, body: '4\n' },
        { status: 409, body: '5\n' },
      ],
      'answered 409',
    ],
    ['signs something else', [{ status: 200, body: signer.sign('x\n', 1) }], 'is wrong'],
    ['is another one', [{ status: 200, body: other.sign(body, 1) }], 'its key has not signed'],
    ['signs nothing', [{ status: 200, body: 'hello' }], 'did not cosign'],
    ['says too much', [{ status: 200, body: 'a'.repeat(70_000) }], 'too long'],
    ['does not answer', ['hangs'], 'cannot be reached'],
  ])('fails where the witness %s', async (_, scripted, reason) => {
    replies.push(...scripted);
    const failure: unknown = await client.cosign(checkpoint).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(WitnessError);
    expect((failure as Error).message).toContain(reason);
  });

  it('is left alone for a while after a failure', async () => {
    const cosigner = new Cosigner(client);
    const logger = pino({ level: 'silent' });
    replies.push({ status: 500, body: '' }, { status: 200, body: line });
    expect(await cosigner.cosign(checkpoint, { now: () => 1_000 }, logger)).toBe('');
    expect(cosigner.isDue(1_999)).toBe(false);
    expect(cosigner.isDue(2_000)).toBe(true);
    expect(await cosigner.cosign(checkpoint, { now: () => 2_000 }, logger)).toBe(line);
    expect(cosigner.isDue(2_000)).toBe(true);
    expect(cosigner.hasSigned([{ ...signer.key, bytes: Buffer.alloc(0) }])).toBe(true);
    expect(cosigner.hasSigned([{ ...other.key, bytes: Buffer.alloc(0) }])).toBe(false);
  });
});
