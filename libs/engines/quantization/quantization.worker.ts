/** The thread that quantizes one model, and ends. */
import { workerData } from 'node:worker_threads';
import { portOfThread } from '#platform/threads/request-listener.js';
import { type FromThread, type QuantizationOrder } from './quantization.protocol.js';
import { quantize } from './quantize.js';

const port = portOfThread();
const send = (message: FromThread): void => port.postMessage(message);

const run = async (): Promise<void> => {
  const measuring = quantize(workerData as QuantizationOrder);
  let next = await measuring.next();
  for (; !next.done; next = await measuring.next()) send({ type: 'measured', ...next.value });
  const { report, parts } = next.value;
  send({ type: 'written', report, file: Buffer.concat(parts) });
};

run()
  .catch((error: unknown) => {
    const known = error instanceof Error && 'code' in error ? error.code : null;
    const message = error instanceof Error ? error.message : String(error);
    send({ type: 'failed', code: typeof known === 'string' ? known : 'failed', message });
  })
  .finally(() => port.close());
