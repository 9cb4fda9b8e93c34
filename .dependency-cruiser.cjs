/**
 * The arrows of the house. Written as allow-lists where that can be: a list of forbidden folders
 * misses a framework imported by name. test/probes/boundaries.spec.ts plants a violation for each.
 */
const decisions = '^(events|projections)/|\\.(decider|saga)\\.ts$';
const spec = '\\.(spec|contract|fake|fixture)\\.ts$';
const adapters = '/(sqlite|in-process|eventstoredb|grpc|mongodb|kafka|file|s3)/';

module.exports = {
  forbidden: [
    {
      name: 'decisions-do-no-io',
      comment:
        'Whatever a decider, saga, event or projection reaches, directly or not, is the kernel, the ' +
        'types of the ledger, the state of a job, zod, immutable, another decision, or a pure file ' +
        'of its area.',
      severity: 'error',
      from: { path: decisions, pathNot: spec },
      to: {
        reachable: true,
        pathNot: [
          decisions,
          '^libs/platform/kernel/',
          '^libs/platform/ledger/(hold|price|steps)\\.ts$',
          '^libs/platform/jobs/job\\.(state|usage)\\.ts$',
          '^libs/areas/',
          'node_modules/zod/',
          'node_modules/immutable/',
        ],
      },
    },
    {
      name: 'events-import-zod-only',
      comment: 'The published language stands alone.',
      severity: 'error',
      from: { path: '^events/', pathNot: spec },
      to: { pathNot: ['^events/', 'node_modules/zod/'] },
    },
    {
      name: 'projections-import-events-only',
      comment: 'A projection is a fold over events; the kernel lends it the types and the money.',
      severity: 'error',
      from: { path: '^projections/', pathNot: spec },
      to: { pathNot: ['^projections/', '^events/', '^libs/platform/kernel/'] },
    },
    {
      name: 'kernel-imports-nothing',
      comment: 'What everything stands on stands on nothing.',
      severity: 'error',
      from: { path: '^libs/platform/kernel/', pathNot: spec },
      to: { pathNot: ['^libs/platform/kernel/'] },
    },
    {
      name: 'platform-knows-no-area',
      comment:
        'A new area changes nothing in the platform, which imports its own events, those of jobs, ' +
        'and the words that the events of all areas share.',
      severity: 'error',
      from: { path: '^libs/platform/' },
      to: { path: '^(libs/(areas|engines)|apps|projections)/|^events/(?!(platform|jobs)/)[^/]+/' },
    },
    {
      name: 'areas-do-not-meet',
      comment: 'An area reacts to the events of another, or declares a port that apps/ binds.',
      severity: 'error',
      from: { path: '^libs/areas/([^/]+)/' },
      to: { path: '^libs/areas/([^/]+)/', pathNot: '^libs/areas/$1/' },
    },
    {
      name: 'libs-know-no-app',
      comment: 'Arrows point inwards.',
      severity: 'error',
      from: { path: '^libs/' },
      to: { path: '^apps/' },
    },
    {
      name: 'apps-libraries-stand-apart',
      comment:
        'The folders of apps/ are libraries that apps/processes puts together: the gateway, the ' +
        'worker, the node and the event store see the operations module, and nothing else of apps/.',
      severity: 'error',
      from: {
        path: '^apps/(gateway|worker|event-store|dtn-node|operations|composition)/',
        pathNot: spec,
      },
      to: { path: '^apps/([^/]+)/', pathNot: '^apps/($1|operations)/' },
    },
    {
      name: 'composition-and-operations-see-no-app',
      comment: 'Both are used by every process, so neither knows one.',
      severity: 'error',
      from: { path: '^apps/(composition|operations)/', pathNot: spec },
      to: { path: '^apps/([^/]+)/', pathNot: '^apps/$1/' },
    },
    {
      name: 'console-pages-see-shell',
      comment:
        'A page runs in a browser: it sees its area, the shell of the console, the client, Preact and uPlot.',
      severity: 'error',
      from: { path: '^apps/console/([^/]+)/', pathNot: spec },
      to: {
        pathNot: [
          '^apps/console/($1|shell)/',
          '^packages/client/',
          'node_modules/(preact|@preact/[^/]+|uplot)/',
        ],
      },
    },
    {
      name: 'cli-sees-composition-and-operations',
      comment: 'A command composes areas; it is no client of a process.',
      severity: 'error',
      from: { path: '^apps/cli/', pathNot: spec },
      to: { path: '^apps/', pathNot: '^apps/(cli|composition|operations)/' },
    },
    {
      name: 'only-processes-put-apps-together',
      comment: 'A process is the outermost ring: nothing in apps/ or libs/ imports one.',
      severity: 'error',
      from: { pathNot: ['^apps/processes/', spec, '^test/'] },
      to: { path: '^apps/processes/' },
    },
    {
      name: 'areas-see-ports-not-adapters',
      comment: 'Only the composition root picks an adapter, of the platform or of an area.',
      severity: 'error',
      from: { path: '^libs/areas/', pathNot: [spec, adapters] },
      to: { path: `^libs/.*${adapters}` },
    },
    {
      name: 'engines-know-no-event',
      comment: 'What computes knows no event and no HTTP.',
      severity: 'error',
      from: { path: '^libs/engines/' },
      to: {
        path:
          '^(events|projections|apps|libs/areas)/' +
          '|^libs/platform/(event-store|read-store|bus|runtime)/' +
          '|node_modules/(@nestjs|fastify)/',
      },
    },
    {
      name: 'areas-meet-engines-in-declarations',
      comment: 'An area loads an engine where it declares it, and runs tasks by the port.',
      severity: 'error',
      from: { path: '^libs/areas/', pathNot: [spec, '\\.engine\\.ts$'] },
      to: { path: '^libs/engines/' },
    },
    {
      name: 'no-cycles',
      comment: 'What goes round in circles cannot be read from one end.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-test-in-product',
      comment: 'Specs stand beside the product and are no part of it.',
      severity: 'error',
      from: { pathNot: [spec, '^test/'] },
      to: { path: ['^test/', '\\.spec\\.ts$'] },
    },
    {
      name: 'no-unresolved',
      comment: 'An import that leads nowhere, or into the compiled tree, escapes every rule above.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-compiled',
      comment:
        'Subpath imports lead to the sources here, as they do for the compiler and for Jest.',
      severity: 'error',
      from: {},
      to: { path: '^(dist|bundle)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      conditionNames: ['quipu-source', 'import', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs', '.json'],
      exportsFields: ['exports'],
    },
  },
};
