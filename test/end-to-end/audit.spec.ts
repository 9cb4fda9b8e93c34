import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { verifyCheckpoint } from '#platform/audit/checkpoint.js';
import { Frontier } from '#platform/audit/frontier.js';
import { isConsistent, isIncluded, leafHashOf } from '#platform/audit/merkle.js';
import { parseVerifierKey } from '#platform/audit/signed-note.js';
import { parseProof } from '#platform/audit/tlog-proof.js';
import { EventHasher, storedFieldsOf } from '#platform/event-store/event.chain.js';
import { answering, chatRequest, startWorld, type World } from './quipu.harness.js';

interface AuditedEvent {
  readonly leaf: number;
  readonly stream: string;
  readonly type: string;
  readonly encoding: string;
  readonly proof: string;
}

describe('the transparency log', () => {
  let world: World;
  let requestId: string;

  beforeAll(async () => {
    world = await startWorld([answering('Knots', '.')], {
      environment: { QUIPU_AUDIT_CHECKPOINT_MS: '50', QUIPU_AUDIT_ORIGIN: 'quipu.test/log' },
    });
    const { response } = await world.openai.chat.completions.create(chatRequest()).withResponse();
    requestId = response.headers.get('x-request-id') ?? '';
  });

  afterAll(() => world.close());

  const http = () => request(world.quipu.url);
  const asDemo = () => ({ authorization: `Bearer ${world.credentials.api_key}` });
  const audited = (id: string) => http().get(`/audit/requests/${id}`).set(asDemo());

  const logKey = async () => {
    const { text } = await http().get('/audit/key').expect(200);
    return parseVerifierKey(text.trimEnd());
  };

  /** After the events of the chat. */
  const checkpoint = async () => {
    await audited(requestId).expect(200);
    const { text, headers } = await http().get('/audit/checkpoint').expect(200);
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(headers['cache-control']).toBe('public, max-age=1');
    return verifyCheckpoint(text, await logKey());
  };

  it('publishes the root over every event, signed', async () => {
    const { origin, size, root } = await checkpoint();
    expect(origin).toBe('quipu.test/log');
    const hasher = new EventHasher();
    const frontier = new Frontier();
    const events = await world.log();
    for (const event of events.slice(0, size)) {
      frontier.push(hasher.leafHash(storedFieldsOf(event)));
    }
    expect(events.length).toBeGreaterThanOrEqual(size);
    expect(root).toEqual(frontier.root());
  });

  it('proves the charge of a request by its x-request-id', async () => {
    const { body } = await audited(requestId).expect(200);
    const { events, verifier_key: key } = body as {
      readonly events: readonly AuditedEvent[];
      readonly verifier_key: string;
    };
    expect(events.map(({ type }) => type)).toEqual(['HoldPlaced', 'HoldCaptured']);
    for (const event of events) {
      const { index, hashes, checkpoint: note } = parseProof(event.proof);
      const { size, root } = verifyCheckpoint(note, parseVerifierKey(key));
      const encoding = Buffer.from(event.encoding, 'base64');
      expect(index).toBe(event.leaf);
      expect(encoding.toString()).toContain(requestId);
      const leafHash = leafHashOf(encoding);
      expect(isIncluded({ index, size, root, leafHash, proof: hashes })).toBe(true);
    }
  });

  it('has tiles that stay, with the slashes of their index literal or encoded', async () => {
    const { size, root } = await checkpoint();
    const { body, headers } = await http().get(`/audit/tile/0/000.p/${size}`).expect(200);
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(headers['content-type']).toBe('application/octet-stream');
    const hashes = body as Buffer;
    const frontier = new Frontier();
    for (let at = 0; at < size; at += 1) frontier.push(hashes.subarray(at * 32, at * 32 + 32));
    expect(frontier.root()).toEqual(root);
    await http().get(`/audit/tile/0/000.p%2F${size}`).expect(200, hashes);
  });

  it('proves a leaf, and that the log only grows', async () => {
    const older = await checkpoint();
    await world.openai.chat.completions.create(chatRequest());
    const key = await logKey();
    const { text } = await http().get('/audit/proofs/0').expect(200);
    const proof = parseProof(text);
    const { size, root } = verifyCheckpoint(proof.checkpoint, key);
    const sizes = { from: older.size, to: size };
    const { body } = await http().get('/audit/consistency').query(sizes).expect(200);
    const { hashes, from_root } = body as {
      readonly hashes: readonly string[];
      readonly from_root: string;
    };
    expect(from_root).toBe(older.root.toString('base64'));
    const claim = {
      oldSize: older.size,
      oldRoot: older.root,
      size,
      root,
      proof: hashes.map((hash) => Buffer.from(hash, 'base64')),
    };
    expect(isConsistent(claim)).toBe(true);
  });

  it('lists the events by position, stream and type, and proves one', async () => {
    await checkpoint();
    const events = await world.log();
    const listed = async (query: object) => {
      const { body } = await http().get('/audit/events').set(asDemo()).query(query).expect(200);
      return body as {
        readonly events: readonly { readonly position: string; readonly event_id: string }[];
        readonly next_after: string | null;
      };
    };
    const { events: page, next_after: after } = await listed({ after: 2, limit: 3 });
    expect(page.map((one) => one.event_id)).toEqual(events.slice(2, 5).map(({ id }) => id));
    expect(page.map((one) => one.position)).toEqual(['3', '4', '5']);
    expect(after).toBe('5');
    expect((await listed({ limit: 100 })).next_after).toBeNull();
    for (const [query, isMeant] of [
      [{ stream: 'account-1' }, ({ stream }) => stream.startsWith('account-1')],
      [{ type: 'HoldPlaced' }, ({ type }) => type === 'HoldPlaced'],
    ] satisfies readonly [object, (event: (typeof events)[number]) => boolean][]) {
      const meant = events.filter(isMeant).map(({ id }) => id);
      const found = (await listed(query)).events.map((one) => one.event_id);
      expect(found.length).toBeGreaterThan(0);
      expect(found).toEqual(meant.slice(0, found.length));
    }
    const placed = events.findIndex(({ type }) => type === 'HoldPlaced');
    const { body } = await http()
      .get(`/audit/events/${placed + 1}`)
      .set(asDemo())
      .expect(200);
    const { event, data } = body as { readonly event: AuditedEvent; readonly data: object };
    expect(data).toEqual(events[placed]?.data);
    const { index, hashes, checkpoint: note } = parseProof(event.proof);
    const { size, root } = verifyCheckpoint(note, await logKey());
    const leafHash = leafHashOf(Buffer.from(event.encoding, 'base64'));
    expect(isIncluded({ index, size, root, leafHash, proof: hashes })).toBe(true);
  });

  it('reports the last checkpoint, which covers all events in the end', async () => {
    const { size, root } = await checkpoint();
    const { body } = await http().get('/audit/state').set(asDemo()).expect(200);
    const { position } = body as { readonly position: string };
    expect(Number(position)).toBeGreaterThanOrEqual(size);
    expect(body).toMatchObject({ witnesses: [], contradiction: null });
    if (Number(position) === size) expect(body).toMatchObject({ root: root.toString('base64') });
  });

  it('checks the ledger', async () => {
    const { body } = await http().get('/api/v1/ledger/check').set(asDemo()).expect(200);
    expect(body).toMatchObject({
      balanced: true,
      deposited_micro_usd: '10000000',
      held_micro_usd: '0',
      faults: [],
      damaged: [],
      open_holds: [],
      read_model_failure: null,
    });
  });

  it.each(['/audit/events', '/audit/events/1', '/audit/state', '/api/v1/ledger/check'])(
    'keeps %s from a key without the scope of operators',
    async (path) => {
      const key = { authorization: `Bearer ${world.credentials.renter_key}` };
      await http().get(path).set(key).expect(403);
      await http().get(path).expect(401);
    },
  );

  it.each([
    ['/audit/events?after=999999', 404, 'tree_size_unknown'],
    ['/audit/events?stream=a&type=b', 400, 'invalid_request'],
    ['/audit/events/999999', 404, 'leaf_not_found'],
    ['/audit/events/0', 400, 'invalid_request'],
  ])('answers an operator at %s with %i %s', async (path, status, code) => {
    const { body } = await http().get(path).set(asDemo()).expect(status);
    expect(body).toMatchObject({ success: false, code });
  });

  it.each([
    ['/audit/tile/0/001', 404, 'tile_not_found'],
    ['/audit/tile/0/00', 404, 'tile_not_found'],
    ['/audit/tile/1/000', 404, 'tile_not_found'],
    ['/audit/tile/entries/000', 404, 'tile_not_found'],
    ['/audit/tile/0/x001/x000/000/9', 404, 'tile_not_found'],
    ['/audit/proofs/999999', 404, 'leaf_not_found'],
    ['/audit/proofs/01', 400, 'invalid_request'],
    ['/audit/proofs/-1', 400, 'invalid_request'],
    ['/audit/consistency?from=3&to=2', 404, 'tree_size_unknown'],
    ['/audit/consistency?from=0&to=999999', 404, 'tree_size_unknown'],
    ['/audit/consistency?from=0', 400, 'invalid_request'],
  ])('answers %s with %i %s', async (path, status, code) => {
    const { body } = await http().get(path).expect(status);
    expect(body).toMatchObject({ success: false, code });
  });
});
