import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { verifyBill } from '#areas/audit/bill/verify-bill.js';
import { runCommand } from './command-line.fixture.js';
import { answering, chatRequest, startWorld, type World } from './quipu.harness.js';

describe('the transparency log of a home', () => {
  let world: World;

  beforeAll(async () => {
    world = await startWorld([answering('Knots', '.')], {
      environment: { QUIPU_AUDIT_CHECKPOINT_MS: '50' },
    });
  });

  afterAll(() => world.close());

  const http = () => request(world.quipu.url);
  const asDemo = () => ({ authorization: `Bearer ${world.credentials.api_key}` });
  const audited = (id: string) => http().get(`/audit/requests/${id}`).set(asDemo());

  /** A command on the same files. */
  const quipu = async (...words: readonly string[]): Promise<Record<string, string>> => {
    const { stdout, stderr } = await runCommand(world.environment, [...words, '--json']);
    return JSON.parse(stdout || stderr) as Record<string, string>;
  };

  it('shows the events of a request to its account and to an Admin only', async () => {
    const create = ['user', 'create', '--username', 'ada', '--email', 'ada@quipu.test'];
    const { api_key: key } = await quipu(
      ...create,
      '--role',
      'renter',
      '--scopes',
      'inference,read_billing',
    );
    const asAda = { authorization: `Bearer ${key}` };
    await quipu('account', 'credit', '--user', 'ada', '--usd', '1', '--reason', 'test');
    const { headers } = await http()
      .post('/v1/chat/completions')
      .set(asAda)
      .send(chatRequest())
      .expect(200);
    const own = headers['x-request-id'] ?? '';
    const { body } = await http().get(`/audit/requests/${own}`).set(asAda).expect(200);
    const { events } = body as { readonly events: readonly { readonly type: string }[] };
    expect(events.map(({ type }) => type)).toEqual(['HoldPlaced', 'HoldCaptured']);
    await audited(own).expect(200);
    await http().get(`/audit/requests/${own}`).expect(401);
    const { response } = await world.openai.chat.completions.create(chatRequest()).withResponse();
    const other = response.headers.get('x-request-id');
    const unseen = await http().get(`/audit/requests/${other}`).set(asAda).expect(404);
    expect(unseen.body).toMatchObject({ code: 'audited_request_not_found' });
    await audited(randomUUID()).expect(404);
  });

  it('is verified by a command, while the server runs', async () => {
    const report = await quipu('audit', 'verify');
    expect(report).toMatchObject({ success: true, verified: true, first_difference: null });
    const { events, leaves, checkpoint } = report as unknown as {
      readonly events: number;
      readonly leaves: number;
      readonly checkpoint: { readonly origin: string; readonly size: number };
    };
    expect(checkpoint.origin).toMatch(/^quipu\.local\//);
    expect(events).toBeGreaterThanOrEqual(checkpoint.size);
    expect(leaves).toBeGreaterThanOrEqual(checkpoint.size);
  });

  it('proves a statement that was downloaded, and one that a command exported', async () => {
    await world.openai.chat.completions.create(chatRequest());
    const month = new Date().toISOString().slice(0, 7);
    const { body, headers } = await http()
      .get(`/api/v1/billing/statements/${month}.zip`)
      .set(asDemo())
      .responseType('blob')
      .expect(200);
    expect(headers['content-type']).toBe('application/zip');
    const { text: key } = await http().get('/audit/key').expect(200);
    const report = verifyBill(body as Buffer, { key: key.trimEnd() });
    expect(report).toMatchObject({ accountId: '1', month, status: 'open' });
    expect(Number(report.chargedMicroUsd)).toBeGreaterThan(0);
    expect(report.notProved).toEqual([
      expect.stringMatching(/^that others are shown the same log/),
      'that no later event is on the statement: it is not closed',
      expect.stringMatching(/^that the units were used/),
    ]);
    const file = path.join(world.home, 'statement.zip');
    const exported = await quipu(
      'statement',
      'export',
      '--user',
      'demo',
      '--month',
      month,
      '--out',
      file,
    );
    expect(exported).toMatchObject({ success: true, month, file });
    const proved = await quipu('verify-bill', file, '--key', key.trimEnd());
    expect(proved).toMatchObject({ success: true, chargedMicroUsd: report.chargedMicroUsd });
    await http().get('/api/v1/billing/statements/2999-01.zip').set(asDemo()).expect(404);
    await http().get('/api/v1/billing/statements/2026-13.zip').set(asDemo()).expect(400);
  });

  it('shows the first leaf that differs, and the checkpoint that the log contradicts', async () => {
    const database = new DatabaseSync(path.join(world.home, 'events.db'));
    database.exec(`DROP TRIGGER events_are_fixed;
      UPDATE events SET recorded_at = recorded_at + 1 WHERE position IN (3, 5)`);
    database.close();
    const report = await quipu('audit', 'verify');
    expect(report).toMatchObject({
      success: false,
      code: 'log_not_verified',
      verified: false,
      first_difference: { leaf: 2, position: '3', reason: 'it differs from the appended event' },
      damaged: [{ position: '3' }, { position: '5' }],
    });
    expect(report['message']).toMatch(
      /^leaf 2 differs: .*; 1 more events are damaged; the log contradicts the published/,
    );
  });
});
