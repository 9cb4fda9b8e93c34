import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { MongoInvalidArgumentError, MongoNetworkError, MongoServerError } from 'mongodb';
import { isUnavailable } from './mongo-failure.js';

describe('a failure of the driver', () => {
  it.each([
    ['a lost connection', new MongoNetworkError('gone')],
    ['a primary that stepped down', new MongoServerError({ message: 'no', code: 10_107 })],
    [
      'a stream that was destroyed',
      Object.assign(new Error('x'), { code: 'ERR_STREAM_DESTROYED' }),
    ],
  ])('means that the server cannot serve: %s', (_, error) => {
    expect(isUnavailable(error)).toBe(true);
  });

  it.each([
    ['a wrong argument', new MongoInvalidArgumentError('wrong')],
    ['a key that is there already', new MongoServerError({ message: 'no', code: 11_000 })],
    ['anything else', new TypeError('no')],
  ])('is a defect: %s', (_, error) => {
    expect(isUnavailable(error)).toBe(false);
  });

  it('means so when a connection is written to that the other side has ended', async () => {
    const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').resume();
    await once(socket, 'end');
    const failed = once(socket, 'error');
    socket.write('more');
    const [error] = (await failed) as [unknown];
    server.close();
    expect(error).toMatchObject({ code: 'EPIPE' });
    expect(isUnavailable(error)).toBe(true);
  });
});
