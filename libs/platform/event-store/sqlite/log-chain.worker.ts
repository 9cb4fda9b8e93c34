/** Checks segments of the chain of the log on a thread of its own, as it is asked. */
import { workerData } from 'node:worker_threads';
import { portOfThread, requestListener } from '#platform/threads/request-listener.js';
import { ChainReader } from './chain-reader.js';
import { type ChainReply, type ChainRequest } from './log-chain.protocol.js';
import { type WriterSettings } from './writer.protocol.js';

const start = (): ChainReader | ChainReply => {
  try {
    const { file, busyTimeoutMs } = workerData as WriterSettings;
    return new ChainReader(file, busyTimeoutMs);
  } catch (error) {
    return { kind: 'failed', reason: (error as Error).message };
  }
};

const port = portOfThread();
const reader = start();
if (reader instanceof ChainReader) {
  const answer = (request: ChainRequest): ChainReply => {
    if (request.kind === 'check') {
      const { segment, seam } = request;
      return { kind: 'checked', checked: reader.check(segment.from, segment.upTo, seam) };
    }
    reader.close();
    return { kind: 'closed' };
  };
  port.on('message', requestListener(port, answer));
  port.postMessage({ kind: 'ready' } satisfies ChainReply);
} else port.postMessage(reader);
