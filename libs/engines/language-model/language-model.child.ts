/**
 * Runs models through llama.cpp in a process of its own, so that the event loop that answers HTTP
 * never waits for a token. A thread would be enough for that, but ending one while llama.cpp works
 * aborts the whole process, and so does every failed assertion inside it; a child only ends itself.
 *
 * Jest does not transform the modules of a forked process, and Node runs TypeScript only by erasing
 * its types. So this file and the files in `child/` are written in erasable syntax and name each
 * other by subpath (`#engines/…`), which is the source in a spec and the build in a gateway.
 */
import type {
  ChildSettings,
  Failure,
  FromChild,
  GenerationTask,
  ToChild,
} from '#engines/language-model/language-model.protocol.js';
import { generate } from '#engines/language-model/child/generation.js';
import { Job } from '#engines/language-model/child/job.js';
import { disposeLlama } from '#engines/language-model/child/llama-runtime.js';
import { Outbox } from '#engines/language-model/child/outbox.js';
import { reasonOf, ReportedError } from '#engines/language-model/child/reported.error.js';
import { ResidentModels } from '#engines/language-model/child/resident-models.js';

/** Shorter than a reader notices, and several tokens of a small model long. */
const GATHER_MS = 4;

const settings = JSON.parse(process.argv[2] ?? '{}') as ChildSettings;
const models = new ResidentModels(settings);
const jobs = new Map<number, Job>();
const outbox = new Outbox((letters) => process.send?.(letters), GATHER_MS);
const send = (letter: FromChild): void => outbox.put(letter);

const start = async (id: number, task: GenerationTask): Promise<void> => {
  const job = new Job(id, settings.unreadDeltasMax, send);
  jobs.set(id, job);
  try {
    await models.withModel(task, (loaded) => generate(job, task, loaded));
    send({ type: 'done', id });
  } catch (error) {
    const failure: Failure =
      error instanceof ReportedError
        ? error.failure
        : { code: 'model_failed', reason: reasonOf(error) };
    send({ type: 'failed', id, failure });
  } finally {
    jobs.delete(id);
  }
};

const close = async (): Promise<void> => {
  await disposeLlama();
  process.disconnect();
};

const hear = (message: ToChild): void => {
  switch (message.type) {
    case 'generate':
      void start(message.id, message.task);
      return;
    case 'read':
      jobs.get(message.id)?.hasRead(message.deltas);
      return;
    case 'stop':
      jobs.get(message.id)?.stop(message.choice);
      return;
    case 'cancel':
      jobs.get(message.id)?.cancel();
      return;
    case 'close':
      void close();
      return;
  }
};

process.on('message', (messages) => {
  for (const message of messages as readonly ToChild[]) hear(message);
});

// A terminal sends its signals to the whole group; the parent drains and then says `close`.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit(0));
