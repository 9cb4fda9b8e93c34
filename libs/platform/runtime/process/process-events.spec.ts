import { describe, expect, it } from '@jest/globals';
import { ProcessEvents } from './process-events.js';

describe('the events of a process', () => {
  it('reach every subscriber, and none where there is none', async () => {
    const events = new ProcessEvents();
    await events.reload();
    const seen: string[] = [];
    events.onListening((url) => Promise.resolve(void seen.push(`one ${url}`)));
    events.onListening((url) => Promise.resolve(void seen.push(`two ${url}`)));
    events.onReload(() => Promise.resolve(void seen.push('reload')));
    events.onDrain((ms) => Promise.resolve(void seen.push(`drain ${ms}`)));
    await events.listening('http://127.0.0.1:8080');
    await events.reload();
    await events.drain(500);
    expect(seen).toEqual([
      'one http://127.0.0.1:8080',
      'two http://127.0.0.1:8080',
      'reload',
      'drain 500',
    ]);
  });

  it('fail with their subscriber', async () => {
    const events = new ProcessEvents();
    events.onReload(() => Promise.reject(new Error('the file is gone')));
    await expect(events.reload()).rejects.toThrow('the file is gone');
  });
});
