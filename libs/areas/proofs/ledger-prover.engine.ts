import { z } from 'zod';
import { LEDGER_PROVER_FAILURES } from '#engines/proofs/ledger/ledger-prover.errors.js';
import { LedgerEnd, LedgerTask } from '#engines/proofs/ledger/ledger-prover.protocol.js';
import { LEAVES, SIGNALS } from '#engines/proofs/ledger/ledger-statement.js';
import { defineEngine, type Engine, type EngineHost } from '#platform/tasks/engine.js';

export { LEAVES, type LedgerEnd, type LedgerTask, SIGNALS };

const openProver = async ({ home, modelFolders }: EngineHost) => {
  const { LedgerProver, proverFilesOf } = await import('#engines/proofs/ledger/ledger-prover.js');
  return new LedgerProver(proverFilesOf(home, modelFolders));
};

/** Proves parts of the ledger statement, where snarkjs is installed. */
export const ledgerProverEngine = defineEngine<LedgerTask, never, LedgerEnd>({
  name: 'ledger-prover',
  input: LedgerTask,
  piece: z.never(),
  end: LedgerEnd,
  tasksMax: { worker: 2, inProcess: 2 },
  failures: LEDGER_PROVER_FAILURES,
  // A process of its own reports what is missing with the task.
  canRunHere: async (host) => (host.place === 'worker' ? (await openProver(host)).missing : null),
  open: async (host): Promise<Engine<LedgerTask, never, LedgerEnd>> => {
    const prover = await openProver(host);
    const { missing } = prover;
    return {
      async *run(task, signal) {
        return prover.prove(task, signal);
      },
      status: () => ({
        ready: missing === null,
        reasons: missing === null ? [] : [missing],
        facts: {},
      }),
      close: () => prover.close(),
    };
  },
});
