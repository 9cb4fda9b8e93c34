import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { ANSWERS_PER_SECOND_MAX, bindingAnswer, StunResponder } from './stun-responder.js';

const from = { address: '192.0.2.1', port: 32_853 };
/** The transaction of the vectors of RFC 5769. */
const TRANSACTION = 'b7e7a701bc34d686fa87dfae';

const requestOf = (body = '', type = '0001', length = body.length / 2): Buffer =>
  Buffer.from(`${type}${length.toString(16).padStart(4, '0')}2112a442${TRANSACTION}${body}`, 'hex');

describe('the STUN responder', () => {
  it('answers with the address of the vectors of RFC 5769, section 2.2', () => {
    expect(bindingAnswer(requestOf(), from)?.toString('hex')).toBe(
      `0101000c2112a442${TRANSACTION}00200008` + '0001a147e112a643',
    );
  });

  it('ignores attributes that it may ignore, and names the ones that it may not', () => {
    expect(bindingAnswer(requestOf('80220004' + '61626364'), from)?.readUInt16BE(0)).toBe(0x0101);
    const answer = bindingAnswer(requestOf('00240004' + '6e0001ff'), from);
    expect(answer?.readUInt16BE(0)).toBe(0x0111);
    expect(answer?.toString('hex')).toContain('00000414');
    expect(answer?.toString('hex')).toMatch(/000a000200240000$/);
  });

  it.each([
    ['too short', requestOf().subarray(0, 19)],
    ['of another method', requestOf('', '0003')],
    ['an answer', requestOf('', '0101')],
    ['of another length', requestOf('', '0001', 4)],
    [
      'without the cookie',
      Buffer.from(requestOf().toString('hex').replace('2112a442', '00000000'), 'hex'),
    ],
    ['with an attribute that is cut', requestOf('80220008' + '61626364')],
    ['too long', requestOf('8022021c' + '61'.repeat(540))],
    ['noise', Buffer.from('hello, is this a server of media?')],
  ])('does not answer a datagram that is %s', (_, message) => {
    expect(bindingAnswer(message, from)).toBeNull();
  });

  it('is not larger than its request with one attribute more, and slow under a flood', async () => {
    const responder = new StunResponder('127.0.0.1', 0, () => 0);
    const port = await responder.start();
    const client = createSocket('udp4');
    let answers = 0;
    client.on('message', () => (answers += 1));
    try {
      for (let request = 0; request < 3 * ANSWERS_PER_SECOND_MAX; request += 1) {
        await new Promise((resolve) => client.send(requestOf(), port, '127.0.0.1', resolve));
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(answers).toBeGreaterThan(0);
      expect(answers).toBeLessThanOrEqual(ANSWERS_PER_SECOND_MAX);
    } finally {
      const closed = once(client, 'close');
      client.close();
      await closed;
      await responder.stop();
    }
  });
});
