/** The thread that has Microsoft SEAL, away from the event loop of the gateway. */
import { portOfThread } from '#platform/threads/request-listener.js';
import { evaluate } from './evaluate.js';
import { HomomorphicError } from './homomorphic.errors.js';
import { type WorkerReply, type WorkerRequest } from './homomorphic.protocol.js';
import { parseKeyBundle } from './key-bundle.js';
import { type ParameterSetName } from './parameter-sets.js';
import {
  type LoadedKeys,
  loadKeys,
  openSeal,
  openSet,
  sealReason,
  type SealSet,
} from './seal-session.js';

const port = portOfThread();
const opening = openSeal();
const sets = new Map<ParameterSetName, SealSet>();
const loaded = new Map<string, LoadedKeys>();

const replyTo = async (
  request: Exclude<WorkerRequest, { kind: 'close' }>,
): Promise<WorkerReply> => {
  const seal = await opening;
  switch (request.kind) {
    case 'load': {
      const bundle = parseKeyBundle(request.bundle);
      const { parameters } = bundle;
      const sealSet = sets.get(parameters) ?? openSet(seal, parameters);
      sets.set(parameters, sealSet);
      loaded.set(request.keys, loadKeys(seal, sealSet, bundle));
      return { kind: 'loaded', parameters };
    }
    case 'forget':
      forget(request.keys);
      return { kind: 'forgotten' };
    case 'evaluate': {
      const keys = loaded.get(request.keys);
      if (!keys) throw new Error('the keys of an evaluation are not loaded');
      return { kind: 'evaluated', evaluated: evaluate(seal, keys, request.evaluation) };
    }
  }
};

const forget = (keys: string): void => {
  const { relinearization, galois } = loaded.get(keys) ?? {};
  loaded.delete(keys);
  relinearization?.delete();
  galois?.delete();
};

const answer = async (request: WorkerRequest): Promise<void> => {
  if (request.kind === 'close') {
    port.close();
    return;
  }
  try {
    port.postMessage(await replyTo(request));
  } catch (error) {
    const reply: WorkerReply =
      error instanceof HomomorphicError
        ? { kind: 'failed', code: error.code, message: error.message }
        : { kind: 'fault', message: sealReason(error) };
    port.postMessage(reply);
  }
};

// One request at a time, so that replies have the order of the requests.
let last = Promise.resolve();
port.on('message', (request: WorkerRequest) => {
  last = last.then(() => answer(request));
});
