import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { outputOf, plantHouse, type PlantedHouse } from './planted-house.js';

interface Violation {
  readonly option: string;
  /** As in `error TS2322`. */
  readonly code: number;
  readonly source: string;
}

/** Code that the compiler must reject, one file each. */
const VIOLATIONS: readonly Violation[] = [
  {
    option: 'strict',
    code: 2322,
    source: 'export const name: string = null;',
  },
  {
    option: 'noUncheckedIndexedAccess',
    code: 2322,
    source: 'export const first = (list: readonly string[]): string => list[0];',
  },
  {
    option: 'exactOptionalPropertyTypes',
    code: 2375,
    source: 'export const named: { name?: string } = { name: undefined };',
  },
  {
    option: 'noPropertyAccessFromIndexSignature',
    code: 4111,
    source: 'export const home = (env: Record<string, string>): string | undefined => env.HOME;',
  },
  {
    option: 'noImplicitOverride',
    code: 4114,
    source: "export class Problem extends Error {\n  readonly name = 'Problem';\n}",
  },
  {
    option: 'noImplicitReturns',
    code: 7030,
    source: 'export const half = (n: number) => {\n  if (n > 1) return n;\n};',
  },
  {
    option: 'noUnusedLocals',
    code: 6133,
    source: 'const unused = 1;\nexport {};',
  },
  {
    option: 'total evolve: a new event breaks the build',
    code: 2366,
    source: `type Event = { type: 'Opened' } | { type: 'Closed' };
export const evolve = (state: number, event: Event): number => {
  switch (event.type) {
    case 'Opened':
      return state + 1;
  }
};`,
  },
];

const planted = VIOLATIONS.map((violation, n) => ({ ...violation, file: `libs/planted-${n}.ts` }));

/** A correct area, which the violations below use. */
const LENDING = `import { z } from 'zod';
import { defineEvent, type EventOf } from '#events/definition.js';
import { type Projection } from '#platform/kernel/projection.js';
import { type Saga } from '#platform/kernel/saga.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { deploySaga } from '#platform/runtime/sagas/saga-deployment.js';
const schema = z.strictObject({ loanId: z.string() });
export const LoanGranted = defineEvent('LoanGranted', { version: 1, schema });
export const LoanRepaid = defineEvent('LoanRepaid', { version: 1, schema });
export type LoanGranted = EventOf<typeof LoanGranted>;
export type LoanRepaid = EventOf<typeof LoanRepaid>;
export type LoanEvent = LoanGranted | LoanRepaid;
export interface OpenLoan { readonly loanId: string }
export const fold = {
  keys: ({ data }: LoanEvent) => [data.loanId],
  initial: (loanId: string): OpenLoan => ({ loanId }),
  project: ({ type }: LoanEvent, loan: OpenLoan) => (type === 'LoanRepaid' ? null : loan),
};
export const openLoans: Projection<LoanEvent, OpenLoan> = {
  name: 'open-loans', version: 1, on: { LoanGranted, LoanRepaid }, ...fold,
};
export interface Remind { readonly type: 'Remind'; readonly data: OpenLoan }
export const reminders: Saga<LoanEvent, object, Remind> = {
  name: 'reminders',
  on: { LoanGranted, LoanRepaid },
  key: ({ data }) => data.loanId,
  initialState: {},
  evolve: () => null,
  react: ({ data }) => [{ kind: 'command', command: { type: 'Remind', data } }],
};
export const deployed = deploySaga(reminders, {
  Remind: ({ loanId }, { requestId }: CommandContext) => ({ loanId, requestId }),
});
export const find = async (projections: Projections): Promise<string | undefined> =>
  (await projections.get(openLoans, 'a')).document?.loanId;`;

/** Code of an area that the types of the platform must reject. */
const BREACHES: readonly Violation[] = [
  {
    option: 'a projection that misses a definition',
    code: 2741,
    source: `import { fold, type LoanEvent, LoanGranted, type OpenLoan } from './lending.js';
import { type Projection } from '#platform/kernel/projection.js';
export const loans: Projection<LoanEvent, OpenLoan> = {
  name: 'loans', version: 1, on: { LoanGranted }, ...fold,
};`,
  },
  {
    option: 'a projection on an event outside its union',
    code: 2353,
    source: `import { LoanGranted, LoanRepaid, type OpenLoan } from './lending.js';
import { type Projection } from '#platform/kernel/projection.js';
export const loans: Projection<LoanGranted, OpenLoan> = {
  name: 'loans', version: 1, on: { LoanGranted, LoanRepaid },
  keys: () => [], initial: (loanId) => ({ loanId }), project: (_, loan) => loan,
};`,
  },
  {
    option: 'a definition under the name of another',
    code: 2322,
    source: `import { fold, type LoanEvent, LoanGranted, type OpenLoan } from './lending.js';
import { type Projection } from '#platform/kernel/projection.js';
export const loans: Projection<LoanEvent, OpenLoan> = {
  name: 'loans', version: 1, on: { LoanGranted, LoanRepaid: LoanGranted }, ...fold,
};`,
  },
  {
    option: 'a query that takes a document for another',
    code: 2322,
    source: `import { openLoans } from './lending.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
export const amount = async (projections: Projections): Promise<{ amount: string } | undefined> =>
  (await projections.get(openLoans, 'a')).document;`,
  },
  {
    option: 'a query that names a document of its own',
    code: 2379,
    source: `import { openLoans } from './lending.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
export const list = (projections: Projections) =>
  projections.list<{ readonly amount: string }>(openLoans, {});`,
  },
  {
    option: 'a saga that sends a command it does not name',
    code: 2322,
    source: `import { type LoanGranted, LoanGranted as Granted, type Remind } from './lending.js';
import { type Saga } from '#platform/kernel/saga.js';
export const saga: Saga<LoanGranted, object, Remind> = {
  name: 'saga', on: { LoanGranted: Granted }, key: () => '', initialState: {}, evolve: () => null,
  react: ({ data }) => [{ kind: 'command', command: { type: 'Forgive', data } }],
};`,
  },
  {
    option: 'a command table that misses a command',
    code: 2741,
    source: `import { reminders } from './lending.js';
import { deploySaga } from '#platform/runtime/sagas/saga-deployment.js';
export const deployed = deploySaga(reminders, {});`,
  },
  {
    option: 'a command table with a command that the saga does not send',
    code: 2353,
    source: `import { reminders } from './lending.js';
import { deploySaga } from '#platform/runtime/sagas/saga-deployment.js';
export const deployed = deploySaga(reminders, { Remind: () => ({}), Forgive: () => ({}) });`,
  },
  {
    option: 'a command built from data that the saga does not send',
    code: 2322,
    source: `import { reminders } from './lending.js';
import { deploySaga } from '#platform/runtime/sagas/saga-deployment.js';
export const deployed = deploySaga(reminders, {
  Remind: (data: { readonly amount: string }) => data,
});`,
  },
  {
    option: 'a relay that misses a definition',
    code: 2741,
    source: `import { type LoanEvent, LoanGranted } from './lending.js';
import { type Relay } from '#platform/runtime/subscriptions/outbox.js';
export const relay: Relay<LoanEvent> = {
  name: 'loans', topic: 'loans', on: { LoanGranted }, toMessage: () => null,
};`,
  },
  {
    option: 'a leader service that cannot be stopped',
    code: 2322,
    source: `import { defineArea } from '#platform/runtime/areas/area.js';
class Collector {
  start(): Promise<void> {
    return Promise.resolve();
  }
}
export const area = defineArea({
  name: 'lending', module: Collector, leaderServices: [Collector],
});`,
  },
  {
    option: 'an event read as one that the codec is not for',
    code: 2322,
    source: `import { LoanGranted, type LoanRepaid } from './lending.js';
import { type RecordedEvent } from '#platform/event-store/event-store.port.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
export const repaid = (codec: EventCodec, recorded: RecordedEvent): LoanRepaid =>
  codec.for([LoanGranted]).revive(recorded);`,
  },
];

const breaching = BREACHES.map((breach, n) => ({ ...breach, file: `seams/planted-${n}.ts` }));

describe('the compiler', () => {
  let house: PlantedHouse;
  let diagnostics: readonly string[];

  beforeAll(async () => {
    house = await plantHouse({
      ...Object.fromEntries(planted.map(({ file, source }) => [file, source] as const)),
      'libs/sound.ts':
        "import { type Sound } from '#platform/sound.js';\nexport type Heard = Sound;",
      'libs/platform/sound.ts': 'export type Sound = number;',
    });
    const args = ['-p', 'tsconfig.json', '--pretty', 'false', '--incremental', 'false'];
    const output = await outputOf(house.folder, 'typescript-native/bin/tsc', [
      ...args,
      '--tsBuildInfoFile',
      'null',
    ]);
    diagnostics = output.split('\n');
  });

  afterAll(() => house.remove());

  it.each(planted)('rejects what $option forbids', ({ file, code }) => {
    const found = diagnostics.filter((line) => line.startsWith(`${file}(`));
    expect(found).toContainEqual(expect.stringContaining(`error TS${code}:`));
  });

  it('resolves subpath imports to sources, and rejects nothing else', () => {
    const others = diagnostics.filter(
      (line) => line.includes('error TS') && !line.startsWith('libs/planted-'),
    );
    expect(others).toEqual([]);
  });
});

describe('the types of the platform', () => {
  let house: PlantedHouse;
  let diagnostics: readonly string[];

  beforeAll(async () => {
    const seams = { extends: './tsconfig.json', include: ['seams'] };
    house = await plantHouse(
      {
        ...Object.fromEntries(breaching.map(({ file, source }) => [file, source] as const)),
        'seams/lending.ts': LENDING,
        'tsconfig.seams.json': JSON.stringify(seams),
      },
      ['libs/platform', 'events'],
    );
    const args = ['-p', 'tsconfig.seams.json', '--pretty', 'false', '--incremental', 'false'];
    const output = await outputOf(house.folder, 'typescript-native/bin/tsc', [
      ...args,
      '--tsBuildInfoFile',
      'null',
    ]);
    diagnostics = output.split('\n');
  });

  afterAll(() => house.remove());

  it.each(breaching)('reject $option', ({ file, code }) => {
    const found = diagnostics.filter((line) => line.startsWith(`${file}(`));
    expect(found).toContainEqual(expect.stringContaining(`error TS${code}:`));
  });

  it('accept a correct area', () => {
    const others = diagnostics.filter(
      (line) => line.includes('error TS') && !line.startsWith('seams/planted-'),
    );
    expect(others).toEqual([]);
  });
});
