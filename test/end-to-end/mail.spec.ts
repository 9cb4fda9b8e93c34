import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { type SmtpServer, startSmtpServer } from '#platform/mail/smtp/smtp-server.fixture.js';
import { CommandLine, runCommand } from './command-line.fixture.js';
import { eventually, startWorld, type World } from './quipu.harness.js';

const FROM = 'Quipu <quipu@example.com>';

describe('mails', () => {
  let server: SmtpServer;
  let world: World;
  let ada: { readonly user_id: number; readonly api_key: string };

  beforeAll(async () => {
    server = await startSmtpServer();
    const mail = { QUIPU_SMTP_URL: server.url, QUIPU_MAIL_FROM: FROM };
    const environment = { ...mail, QUIPU_ALERT_SECONDS: '1' };
    world = await startWorld([], { environment });
    ada = await new CommandLine(() => world).createUser('ada', 'renter');
  });

  afterAll(async () => {
    await world.close();
    await server.close();
  });

  const as = (key: string) => ({ authorization: `Bearer ${key}` });
  const post = (path: string, key: string, body: object) =>
    request(world.quipu.url).post(`/api/v1/${path}`).set(as(key)).send(body);
  const offer = (body: object) =>
    post(`users/${ada.user_id}/password_reset`, world.credentials.api_key, body).expect(200);

  it('bring a user the token of a password reset, which the operator does not see', async () => {
    const { body } = await offer({ send_mail: true });
    expect(body).toMatchObject({ user_id: ada.user_id, token: null });
    const mail = server.received.find(({ headers }) => /password/.test(headers['subject'] ?? ''));
    expect(mail).toMatchObject({ to: ['ada@example.com'], headers: { from: FROM } });
    const token = /svc_rst_\S+/.exec(mail?.text ?? '')?.[0];
    const reset = { token, new_password: 'correct horse battery staple' };
    await post('auth/password_reset', '', reset).expect(200);
  });

  it('are not sent unless the operator asks for it', async () => {
    const before = server.received.length;
    const { body } = await offer({});
    expect((body as { readonly token: string }).token).toMatch(/^svc_rst_/);
    const path = `/api/v1/users/${ada.user_id}/password_reset`;
    const bare = request(world.quipu.url).post(path).set(as(world.credentials.api_key));
    await bare.expect(200);
    expect(server.received).toHaveLength(before);
  });

  it('bring an account its alerts, at the address of its owner', async () => {
    const url = 'https://elsewhere.example';
    const types = ['alert.raised'];
    const { body } = await post('webhooks', ada.api_key, { format: 'mail', url, types }).expect(
      201,
    );
    expect(body).toMatchObject({ webhook: { url: 'mailto:ada@example.com', format: 'mail' } });
    const rules = request(world.quipu.url).put('/api/v1/alerts').set(as(ada.api_key));
    await rules.send({ balance_below_usd: 5 }).expect(200);
    const ofAlert = () =>
      server.received.find(({ headers }) => /^alert\.raised/.test(headers['subject'] ?? ''));
    await eventually(() => ofAlert() !== undefined);
    expect(ofAlert()).toMatchObject({
      to: ['ada@example.com'],
      headers: { subject: `alert.raised of account ${ada.user_id}` },
    });
    expect(ofAlert()?.text).toContain('kind: balance_low');
    expect(ofAlert()?.headers['message-id']).toMatch(/^<msg_[0-9a-f-]{36}@quipu>$/);
  });

  it('bring no events', async () => {
    const asked = { format: 'mail', types: ['HoldCaptured'] };
    const { body } = await post('webhooks', ada.api_key, asked).expect(400);
    expect(body).toMatchObject({ code: 'webhook_type_unknown' });
  });

  it('bring a token that the command line asks for', async () => {
    const before = server.received.length;
    const words = ['user', 'offer-reset', '--user', 'ada', '--send-mail', '--json'];
    const { stdout } = await runCommand(world.environment, words);
    expect(JSON.parse(stdout)).toMatchObject({ user_id: ada.user_id, token: null });
    expect(server.received.slice(before)).toMatchObject([{ to: ['ada@example.com'] }]);
    expect(server.received.at(-1)?.text).toMatch(/svc_rst_\S+/);
  });

  it('bring alerts once the command line says so, and no more when it says that', async () => {
    const bob = await new CommandLine(() => world).createUser('bob', 'renter');
    const mail = (state: string) =>
      runCommand(world.environment, ['alerts', 'mail', state, '--user', 'bob', '--json']);
    const listed = async () => {
      const get = request(world.quipu.url).get('/api/v1/webhooks').set(as(bob.api_key));
      const { body } = await get.expect(200);
      return (body as { readonly webhooks: readonly object[] }).webhooks;
    };
    for (let times = 0; times < 2; times += 1) {
      const { stdout, stderr } = await mail('on');
      expect(stderr).toBe('');
      expect(JSON.parse(stdout)).toMatchObject({ account_id: String(bob.user_id), mail: true });
    }
    await eventually(async () => (await listed()).length > 0);
    const types = ['alert.raised', 'budget.threshold_reached', 'statement.ready'];
    expect(await listed()).toMatchObject([{ url: 'mailto:bob@example.com', types }]);
    const { stdout } = await mail('off');
    expect(JSON.parse(stdout)).toMatchObject({ mail: false });
    await eventually(async () => (await listed()).length === 0);
    const none = { ...world.environment, QUIPU_SMTP_URL: '', QUIPU_MAIL_FROM: '' };
    const words = ['alerts', 'mail', 'on', '--user', 'bob', '--json'];
    const { stderr } = await runCommand(none, words);
    expect(JSON.parse(stderr)).toMatchObject({ code: 'webhook_mail_not_set_up' });
  });
});
