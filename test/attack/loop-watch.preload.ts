import { createServer } from 'node:http';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded before the process under attack, as `loop-watch.ts` says. It measures the CPU time of the
 * main thread between two ticks of a timer: a turn of the event loop that computes for long delays
 * the next tick. CPU time, unlike time of day, does not count while other processes have the
 * processor.
 */
const TICK_MS = 2;
/** Passes of the calibration: about 20 ms. */
const PASSES = 2_000_000;

/** Of a request that holds the loop on purpose, to test the test. */
const COMPUTED_MS = 250;

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/** A fixed computation, whose CPU time says how fast the processor is now. */
const calibrate = (): number => {
  const before = cpuMs();
  let sum = 0;
  for (let pass = 0; pass < PASSES; pass += 1) sum = (sum * 31 + (pass % 7)) % 1_000_003;
  return sum < 0 ? 0 : cpuMs() - before;
};

const { LOOP_WATCH_PORT: port } = process.env;
// Threads and child processes load this file, too.
delete process.env['LOOP_WATCH_PORT'];
if (isMainThread && port !== undefined) {
  let last = cpuMs();
  let longest = 0;
  const tick = (): void => {
    const now = cpuMs();
    longest = Math.max(longest, now - last);
    last = now;
  };
  setInterval(tick, TICK_MS).unref();
  const server = createServer(({ url }, response) => {
    if (url === '/calibrate') {
      response.end(JSON.stringify(calibrate()));
      last = cpuMs();
      return;
    }
    if (url === '/compute') {
      const endsAt = cpuMs() + COMPUTED_MS;
      while (cpuMs() < endsAt) calibrate();
      response.end();
      return;
    }
    tick();
    response.end(JSON.stringify(longest));
    longest = 0;
  });
  server.listen(Number(port), '127.0.0.1').unref();
}
