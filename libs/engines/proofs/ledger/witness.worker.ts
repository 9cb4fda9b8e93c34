/** The thread that computes witnesses, away from the event loop of the process. */
import { answerTasks } from '#platform/threads/task-thread.js';
import { LedgerProverError } from './ledger-prover.errors.js';
import { witnessOf } from './witness-of.js';

answerTasks(witnessOf, LedgerProverError);
