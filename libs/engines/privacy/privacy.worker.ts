/** The thread that computes answers, away from the event loop of the process. */
import { portOfThread } from '#platform/threads/request-listener.js';
import { answerQuery } from './answer-query.js';
import { type PrivacyAnswer, type PrivacyTask } from './privacy.protocol.js';
import { CryptoSource } from './random-source.js';
import { Samplers } from './samplers.js';

export type WorkerRequest =
  { readonly kind: 'run'; readonly task: PrivacyTask } | { readonly kind: 'close' };

/** A fault has no message: an error of the computation might name a value of a row. */
export type WorkerReply = { readonly answer: PrivacyAnswer } | { readonly fault: true };

const port = portOfThread();
const samplers = new Samplers(new CryptoSource());

const replyTo = (task: PrivacyTask): WorkerReply => {
  try {
    return { answer: answerQuery(task, samplers) };
  } catch {
    return { fault: true };
  }
};

port.on('message', (request: WorkerRequest) => {
  if (request.kind === 'close') port.close();
  else port.postMessage(replyTo(request.task));
});
