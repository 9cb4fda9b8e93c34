import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startSmtpServer, type SmtpServer } from './smtp-server.fixture.js';
import { MailError } from '../mailer.js';
import { SmtpMailer } from './smtp-mailer.js';

const mail = { to: 'ada@example.com', subject: 'An alert', text: 'The balance is low: 2 €.' };
const from = 'Quipu <quipu@example.com>';

describe('a mail', () => {
  let server: SmtpServer;

  beforeAll(async () => {
    server = await startSmtpServer();
  });

  afterAll(() => server.close());

  it('reaches the server with its sender, its address and its id', async () => {
    await new SmtpMailer({ url: server.url, from }).send({ ...mail, id: 'msg_1' });
    const [got] = server.received;
    expect(got).toMatchObject({ from: 'quipu@example.com', to: ['ada@example.com'] });
    expect(got?.headers).toMatchObject({
      from,
      to: 'ada@example.com',
      subject: 'An alert',
      'message-id': '<msg_1@quipu>',
    });
    expect(got?.text).toBe(mail.text);
  });

  it('has one receiver, whatever the address says', async () => {
    const before = server.received.length;
    const to = 'ada@example.com, eve@example.com';
    await expect(new SmtpMailer({ url: server.url, from }).send({ ...mail, to })).rejects.toThrow(
      MailError,
    );
    expect(server.received).toHaveLength(before);
  });

  it('that the server rejects is a failure that names no address', async () => {
    const sending = new SmtpMailer({ url: server.url, from }).send({
      ...mail,
      to: 'no@example.com',
    });
    await expect(sending).rejects.toThrow('the mail server did not take the mail: EENVELOPE 550');
  });

  it('is a failure without a server', async () => {
    const url = 'smtp://user:secret@127.0.0.1:1';
    await expect(new SmtpMailer({ url, from }).send(mail)).rejects.toThrow(
      /^the mail server did not take the mail: E[A-Z]+$/,
    );
    await expect(new SmtpMailer(null).send(mail)).rejects.toThrow('QUIPU_SMTP_URL is not set');
  });
});
