import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FaultProxy } from '../servers/fault-proxy.js';

let echo: Server;
let proxy: FaultProxy;
const sockets: Socket[] = [];

const dial = async (): Promise<Socket> => {
  const socket = connect(proxy.address);
  sockets.push(socket);
  await once(socket, 'connect');
  return socket.setEncoding('utf8');
};

const answerTo = async (socket: Socket, text: string): Promise<string> => {
  socket.write(text);
  const [answer] = (await once(socket, 'data')) as [string];
  return answer;
};

beforeEach(async () => {
  echo = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(echo, 'listening');
  proxy = await FaultProxy.before({
    host: '127.0.0.1',
    port: (echo.address() as AddressInfo).port,
  });
});

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await proxy.close();
  echo.close();
});

describe('the fault proxy', () => {
  it('passes bytes both ways in fair weather', async () => {
    expect(await answerTo(await dial(), 'knot')).toBe('knot');
  });

  it('delays every byte both ways when it is slow, and keeps their order', async () => {
    const socket = await dial();
    proxy.become({ kind: 'slow', latencyMs: 40 });
    const startedAt = performance.now();
    let heard = '';
    socket.on('data', (text: string) => (heard += text));
    socket.write('1');
    await sleep(10);
    proxy.become({ kind: 'fair' });
    socket.write('2');
    while (heard.length < 2) await sleep(1);
    expect(heard).toBe('12');
    expect(performance.now() - startedAt).toBeGreaterThan(35);
  });

  it('holds bytes and connections while it is silent, and delivers afterwards', async () => {
    const socket = await dial();
    await answerTo(socket, 'before');
    proxy.become({ kind: 'silent' });
    const answer = answerTo(socket, 'during');
    const early = await Promise.race([answer, sleep(100, 'nothing')]);
    expect(early).toBe('nothing');
    expect(socket.destroyed).toBe(false);
    proxy.become({ kind: 'fair' });
    expect(await answer).toBe('during');
  });

  it('resets open and new connections', async () => {
    const socket = await dial();
    await answerTo(socket, 'before');
    proxy.become({ kind: 'resetting' });
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNRESET');
    const later = connect(proxy.address);
    sockets.push(later);
    await expect(once(later, 'end')).rejects.toThrow(/ECONNRESET/);
  });
});
