import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Mutant } from './mutants.js';

/** A mutant that was not caught once. The text must be in the source exactly once. */
interface NamedMutant {
  readonly name: string;
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

export const NAMED: readonly NamedMutant[] = [
  {
    name: 'a projection keeps its cache over a restart',
    file: 'libs/platform/runtime/projections/projection-handler.ts',
    before: '    this.#documents.clear();\n',
    after: '',
  },
  {
    name: 'a stream is not read again after an unknown outcome',
    file: 'libs/platform/runtime/commands/command-runner.ts',
    before: 'queue.doubtful = true;',
    after: '',
  },
  {
    name: 'a snapshot is believed whatever event is there',
    file: 'libs/platform/runtime/commands/command-runner.ts',
    before: 'if (event?.id === found.eventId && event.position === found.position) return found;',
    after: 'if (event) return found;',
  },
  {
    name: 'the version of a snapshot is ignored',
    file: 'libs/platform/runtime/commands/snapshots.ts',
    before: '`snapshots.v${version}`',
    after: '`snapshots.v1`',
  },
  {
    name: 'only the last id of a repeat is compared',
    file: 'libs/platform/event-store/sqlite/sqlite-log-writer.ts',
    before: 'for (let index = 0; index < count; index += 1) {\n      const stored',
    after: 'for (let index = count - 1; index < count; index += 1) {\n      const stored',
  },
  {
    name: 'a lost member counts the message of another member as done or failed',
    file: 'libs/platform/bus/kafka/group-member.ts',
    before: 'if (this.#isOrphan(task)) return this.#done(task);',
    after: '',
  },
  {
    name: 'at close an unstorable dead letter counts as done',
    file: 'libs/platform/bus/kafka/group-member.ts',
    before: 'if (this.#isClosing || this.#isOrphan(task)) break;',
    after: 'if (this.#isClosing || this.#isOrphan(task)) return this.#done(task);',
  },
  {
    name: 'a standing read during a change is kept',
    file: 'libs/areas/identity/authentication/authenticator.ts',
    before: "state.kind !== 'none' && before === this.#changes",
    after: "state.kind !== 'none'",
  },
  {
    name: 'a lease has no margin',
    file: 'libs/platform/runtime/lease/lease-keeper.ts',
    before: 'this.settings.ttlMs * (1 - MARGIN)',
    after: 'this.settings.ttlMs',
  },
  {
    name: 'a renewal is counted from its end',
    file: 'libs/platform/runtime/lease/lease-keeper.ts',
    before: 'term.renewed(beganAt);',
    after: 'term.renewed(this.nowMs());',
  },
  {
    name: 'a drain ends with a request open',
    file: 'apps/operations/open-requests.ts',
    before: 'if (this.#count === 0) for',
    after: 'if (this.#count <= 1) for',
  },
  {
    name: 'tool calls are not counted twice',
    file: 'libs/areas/inference/token-bound.ts',
    before: 'if (calls != null && left > 0) left -= printedBytes(calls, 0, left);',
    after: '',
  },
];

/** @throws Error when a source no longer has the text of its mutant */
export const namedMutantsOf = (root: string): Promise<readonly Mutant[]> =>
  Promise.all(
    NAMED.map(async ({ name, file, before, after }) => {
      const source = await readFile(path.join(root, file), 'utf8');
      const start = source.indexOf(before);
      if (start < 0 || source.includes(before, start + 1)) {
        throw new Error(`${file} does not have the text of "${name}" exactly once`);
      }
      const line = source.slice(0, start).split('\n').length;
      return { file, line, operator: name, before, after, start };
    }),
  );
