import { createRequire } from 'node:module';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HOUSE, outputOf, plantHouse, type PlantedHouse } from './planted-house.js';

interface Report {
  readonly modules: readonly { readonly source: string }[];
  readonly summary: {
    readonly violations: readonly {
      readonly from: string;
      readonly to: string;
      readonly rule: { readonly name: string };
    }[];
  };
}

const CONFIG = '.dependency-cruiser.cjs';
const ROOTS = ['apps', 'libs', 'events', 'projections'];

/** One violation for each rule. Its imports are planted files or packages. */
const VIOLATIONS: Readonly<Record<string, { readonly file: string; readonly imports: string }>> = {
  'decisions-do-no-io': {
    file: 'libs/areas/lending/loan.decider.ts',
    imports: './interest.js',
  },
  'events-import-zod-only': {
    file: 'events/lending/loan.events.ts',
    imports: '#platform/kernel/money.js',
  },
  'projections-import-events-only': {
    file: 'projections/lending/open-loans.projection.ts',
    imports: '#areas/lending/interest.js',
  },
  'kernel-imports-nothing': { file: 'libs/platform/kernel/clock.ts', imports: 'uuid' },
  'platform-knows-no-area': {
    file: 'libs/platform/runtime/runtime.ts',
    imports: '#areas/lending/interest.js',
  },
  'areas-do-not-meet': {
    file: 'libs/areas/saving/save.handler.ts',
    imports: '#areas/lending/interest.js',
  },
  'libs-know-no-app': { file: 'libs/areas/saving/saving.area.ts', imports: '#apps/main.js' },
  'apps-libraries-stand-apart': {
    file: 'apps/gateway/lending/loans.controller.ts',
    imports: '../../composition/areas.js',
  },
  'composition-and-operations-see-no-app': {
    file: 'apps/composition/quipu.module.ts',
    imports: '../operations/health.controller.js',
  },
  'console-pages-see-shell': {
    file: 'apps/console/lending/loans.page.ts',
    imports: '#platform/kernel/money.js',
  },
  'cli-sees-composition-and-operations': {
    file: 'apps/cli/lending/lend.ts',
    imports: '../../worker/task-runner.js',
  },
  'only-processes-put-apps-together': {
    file: 'apps/cli/platform/start.ts',
    imports: '../../processes/gateway.process.js',
  },
  'areas-see-ports-not-adapters': {
    file: 'libs/areas/saving/saving.module.ts',
    imports: '#platform/bus/kafka/kafka-bus.js',
  },
  'engines-know-no-event': { file: 'libs/engines/abacus.ts', imports: '@nestjs/common' },
  'areas-meet-engines-in-declarations': {
    file: 'libs/areas/saving/sum.handler.ts',
    imports: '#engines/adder.js',
  },
  'no-cycles': { file: 'apps/gateway/ring.ts', imports: './ring.js' },
  'no-test-in-product': { file: 'apps/gateway/served.ts', imports: './served.spec.js' },
  'no-unresolved': { file: 'apps/gateway/lost.ts', imports: '#areas/lending/nowhere.js' },
  'no-compiled': { file: 'apps/gateway/stale.ts', imports: '../../dist/apps/gateway/stale.js' },
};

/** The imports of the violations, and files without a violation. */
const BYSTANDERS: Readonly<Record<string, string>> = {
  'libs/areas/lending/interest.ts': "import 'node:fs';",
  'libs/engines/adder.ts': 'export {};',
  'libs/areas/saving/sum.engine.ts': "import '#engines/adder.js';",
  'libs/platform/kernel/money.ts': 'export {};',
  'libs/platform/bus/kafka/kafka-bus.ts': 'export {};',
  'apps/main.ts': "import '#platform/bus/kafka/kafka-bus.js';",
  'apps/composition/areas.ts': 'export {};',
  'apps/operations/health.controller.ts': 'export {};',
  'apps/worker/task-runner.ts': "import '../operations/health.controller.js';",
  'apps/processes/gateway.process.ts':
    "import '../composition/areas.js';\nimport '../worker/task-runner.js';",
  'apps/gateway/served.spec.ts': "import '#areas/lending/interest.js';",
  'dist/apps/gateway/stale.js': 'export {};',
  'events/saving/account.events.ts': "import 'zod';\nimport { type Money } from '../money.js';",
  'events/money.ts': 'export {};',
  'events/platform/lease.events.ts': "import '../money.js';",
  'libs/platform/runtime/lease.ts': "import '#events/platform/lease.events.js';",
  'projections/saving/balance.projection.ts': "import '#events/saving/account.events.js';",
  'libs/areas/saving/account.decider.ts': [
    '#events/saving/account.events.js',
    '#platform/kernel/money.js',
    '#platform/ledger/hold.js',
    './rate.js',
  ]
    .map((source) => `import '${source}';`)
    .join('\n'),
  'libs/platform/ledger/hold.ts': "import '#events/money.js';",
  'events/jobs/job.events.ts': "import '../money.js';",
  'libs/platform/jobs/job.decider.ts': "import './job.state.js';",
  'libs/platform/jobs/job.state.ts': "import '#events/jobs/job.events.js';",
  'libs/areas/saving/rate.ts': "import '#platform/kernel/money.js';",
  'libs/areas/saving/sqlite/sqlite-vault.ts': "import './vault.thread.js';\nimport 'node:sqlite';",
  'libs/areas/saving/sqlite/vault.thread.ts': 'export {};',
};

const cruise = async (folder: string): Promise<Report> => {
  const args = [...ROOTS, '--config', CONFIG, '--output-type', 'json'];
  const cruiser = 'dependency-cruiser/bin/dependency-cruiser.mjs';
  return JSON.parse(await outputOf(folder, cruiser, args)) as Report;
};

describe('the boundaries', () => {
  const { forbidden } = createRequire(import.meta.url)(path.join(HOUSE, CONFIG)) as {
    readonly forbidden: readonly { readonly name: string; readonly severity: string }[];
  };
  const rules = forbidden.map(({ name }) => name);

  describe('in a repository with one violation of each', () => {
    let house: PlantedHouse;
    let report: Report;

    beforeAll(async () => {
      const violations = Object.values(VIOLATIONS).map(
        ({ file, imports }) => [file, `import '${imports}';`] as const,
      );
      house = await plantHouse({ ...BYSTANDERS, ...Object.fromEntries(violations) });
      report = await cruise(house.folder);
    });

    afterAll(() => house.remove());

    const reportedBy = (rule: string): string[] =>
      report.summary.violations
        .filter(({ rule: { name } }) => name === rule)
        .map(({ from }) => from);

    it.each(Object.entries(VIOLATIONS))('%s is reported', (rule, { file }) => {
      expect(reportedBy(rule)).toContain(file);
    });

    it('every rule has a violation, and fails the build', () => {
      expect(Object.keys(VIOLATIONS).sort()).toEqual([...rules].sort());
      expect(forbidden.filter(({ severity }) => severity !== 'error')).toEqual([]);
    });

    it('no other file is reported', () => {
      const planted = new Set(Object.values(VIOLATIONS).map(({ file }) => file));
      const others = report.summary.violations.filter(({ from }) => !planted.has(from));
      expect(others).toEqual([]);
    });
  });

  it('hold in this repository', async () => {
    const { modules, summary } = await cruise(HOUSE);
    expect(summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`)).toEqual(
      [],
    );
    for (const root of ROOTS) {
      expect(modules.filter(({ source }) => source.startsWith(`${root}/`))).not.toEqual([]);
    }
  });
});
