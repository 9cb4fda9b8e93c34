import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Receptions, type Sender, UNFUNDED_BODY_BYTES_MAX } from './receptions.js';

const TIMEOUT = { status: 408, code: 'request_timeout', message: 'late' };

describe('the reception of bodies', () => {
  let receptions: Receptions;

  beforeEach(() => {
    receptions = new Receptions({ bodyLimitBytes: 100, receivingBytesMax: 80 });
  });

  const messageOf = (socket = new Socket()): IncomingMessage => new IncomingMessage(socket);

  it('joins the chunks', async () => {
    const message = messageOf();
    const body = receptions.receive(message, 'funded');
    message.push('{"a"');
    message.push(':1}');
    message.push(null);
    expect(String(await body)).toBe('{"a":1}');
  });

  it('gives back the bytes of a body that has arrived', async () => {
    for (let n = 0; n < 3; n += 1) {
      const message = messageOf();
      const body = receptions.receive(message, 'funded');
      message.push('x'.repeat(60));
      message.push(null);
      expect(await body).toHaveLength(60);
    }
  });

  it('does not wait for a caller that has left before', async () => {
    const message = messageOf();
    message.destroy();
    await expect(receptions.receive(message, 'funded')).rejects.toMatchObject({
      failure: { code: 'body_incomplete' },
    });
  });

  it('has a smaller limit for an account without money', async () => {
    receptions = new Receptions({ bodyLimitBytes: 1 << 20, receivingBytesMax: 1 << 22 });
    const sent = async (sender: Sender) => {
      const message = messageOf();
      const body = receptions.receive(message, sender);
      message.push(Buffer.alloc(UNFUNDED_BODY_BYTES_MAX + 1));
      message.push(null);
      return (await body).length;
    };
    expect(await sent('funded')).toBe(UNFUNDED_BODY_BYTES_MAX + 1);
    await expect(sent('unfunded')).rejects.toThrow('the limit of an account without money');
  });

  it('fails the later of two requests on a connection', async () => {
    const socket = new Socket();
    const [first, second] = [messageOf(socket), messageOf(socket)];
    const bodies = [receptions.receive(first, 'funded'), receptions.receive(second, 'funded')];
    first.push(null);
    expect(await bodies[0]).toHaveLength(0);
    receptions.fail(socket, TIMEOUT);
    await expect(bodies[1]).rejects.toMatchObject({ failure: TIMEOUT });
  });
});
