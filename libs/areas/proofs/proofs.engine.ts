import { z } from 'zod';
import { PROOFS_FAILURES } from '#engines/proofs/proofs.errors.js';
import {
  BATCH_MAX,
  type Claim,
  pairingsMaxOf,
  Proof,
  ProofKey,
  ProofsEnd,
  ProofsTask,
  PublicSignals,
  SnarkjsKey,
} from '#engines/proofs/proofs.protocol.js';
import { defineEngine, type Engine } from '#platform/tasks/engine.js';

export {
  BATCH_MAX,
  type Claim,
  pairingsMaxOf,
  Proof,
  ProofKey,
  type ProofsEnd,
  type ProofsTask,
  PublicSignals,
  SnarkjsKey,
};

/** Verifies proofs: the proofs of one request are one task. */
export const proofsEngine = defineEngine<ProofsTask, never, ProofsEnd>({
  name: 'proofs',
  input: ProofsTask,
  piece: z.never(),
  end: ProofsEnd,
  tasksMax: { worker: 16, inProcess: 32 },
  failures: PROOFS_FAILURES,
  canRunHere: () => Promise.resolve(null),
  open: async (): Promise<Engine<ProofsTask, never, ProofsEnd>> => {
    const { ProofsEngine } = await import('#engines/proofs/proofs.engine.js');
    const engine = new ProofsEngine();
    return {
      async *run(task, signal) {
        return engine.run(task, signal);
      },
      status: () => ({ ready: true, reasons: [], facts: { tasks: engine.tasks } }),
      close: () => engine.close(),
    };
  },
});
