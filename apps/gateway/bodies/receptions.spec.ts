import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Receptions } from './receptions.js';

const TIMEOUT = { status: 408, code: 'request_timeout', message: 'late' };

describe('the reception of bodies', () => {
  let receptions: Receptions;

  beforeEach(() => {
    receptions = new Receptions({ bodyLimitBytes: 100, receivingBytesMax: 80 });
  });

  const messageOf = (socket = new Socket()): IncomingMessage => new IncomingMessage(socket);

  it('joins the chunks', async () => {
    const message = messageOf();
    const body = receptions.receive(message, true);
    message.push('{"a"');
    message.push(':1}');
    message.push(null);
    expect(String(await body)).toBe('{"a":1}');
  });

  it('gives back the bytes of a body that has arrived', async () => {
    for (let n = 0; n < 3; n += 1) {
      const message = messageOf();
      const body = receptions.receive(message, true);
      message.push('x'.repeat(60));
      message.push(null);
      expect(await body).toHaveLength(60);
    }
  });

  it('does not wait for a caller that has left before', async () => {
    const message = messageOf();
    message.destroy();
    await expect(receptions.receive(message, true)).rejects.toMatchObject({
      failure: { code: 'body_incomplete' },
    });
  });

  it('fails the later of two requests on a connection', async () => {
    const socket = new Socket();
    const [first, second] = [messageOf(socket), messageOf(socket)];
    const bodies = [receptions.receive(first, true), receptions.receive(second, true)];
    first.push(null);
    expect(await bodies[0]).toHaveLength(0);
    receptions.fail(socket, TIMEOUT);
    await expect(bodies[1]).rejects.toMatchObject({ failure: TIMEOUT });
  });
});
