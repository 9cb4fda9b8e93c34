import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { Registry } from 'prom-client';
import { Mailer } from '#platform/mail/mailer.js';
import { SmtpMailer } from '#platform/mail/smtp/smtp-mailer.js';
import { CheckpointStore } from '#platform/audit/checkpoint-store.port.js';
import { BlobSweeper } from '#platform/blobs/blob-sweeper.js';
import { Blobs } from '#platform/blobs/blobs.port.js';
import { AnswerStore } from '#platform/idempotency/answer-store.port.js';
import { AnswerSweeper } from '#platform/idempotency/answer-sweeper.js';
import { type Area, Areas } from '#platform/runtime/areas/area.js';
import { BusNeed } from '#platform/runtime/areas/operations.js';
import { PlatformModule } from '#platform/runtime/platform.module.js';
import { ProcessCalls } from '#platform/runtime/process/process-calls.js';
import { ProcessEvents } from '#platform/runtime/process/process-events.js';
import { ProcessFacts } from '#platform/runtime/process/process-facts.js';
import { ProcessRole } from '#platform/runtime/process/process-role.js';
import { Runtime } from '#platform/runtime/runtime.js';
import { keyedHasher, TEXT_HASHER } from '#platform/secrets/keyed-hasher.js';
import { SECRETS } from '#platform/secrets/tokens.js';
import { Tasks } from '#platform/tasks/tasks.port.js';
import { WorkerDirectory } from '#platform/tasks/worker-directory.js';
import { Tools } from '#platform/tools/tools.js';
import { bindingsOf } from './bindings.js';
import { type OpenEngines } from './engines.js';
import { type Settings } from './settings.js';
import { bindTasks } from './tasks.binding.js';
import { TasksLifecycle } from './tasks.lifecycle.js';
import { WorkerDirectoryLifecycle } from './worker-directory.lifecycle.js';

export interface Composition {
  readonly settings: Settings;
  readonly engines: OpenEngines;
  readonly runtime: Runtime;
  readonly areas: readonly Area[];
  readonly role: ProcessRole['name'];
  /** Whether the process starts the reactions of the runtime. */
  readonly runsReactions: boolean;
  /** Whether attempts of jobs run here. Default: where the reactions run. */
  readonly hostsJobs?: boolean;
  /** The areas whose tools are known by name, to check what refers to them. Default: `areas`. */
  readonly toolsOf?: readonly Area[];
  /** Nest modules beside the areas, such as the HTTP modules of a gateway. */
  readonly edges?: NonNullable<DynamicModule['imports']>;
}

/** The composition root: the platform, the areas, and the bindings between them. */
@Module({})
export class QuipuModule {
  static async of(composition: Composition): Promise<DynamicModule> {
    const { settings, engines, runtime, areas, role, runsReactions, edges = [] } = composition;
    const { hostsJobs = runsReactions, toolsOf = areas } = composition;
    const { instance, region, bus, lease } = settings;
    const sharesBus = bus.kind !== 'memory';
    const election = lease.election.kind;
    const facts = new ProcessFacts({
      instance,
      region,
      sharesBus,
      runsReactions,
      hostsJobs,
      election,
    });
    const providers: readonly Provider[] = [
      { provide: Runtime, useValue: runtime },
      { provide: Registry, useValue: new Registry() },
      { provide: Areas, useValue: new Areas(areas) },
      { provide: ProcessRole, useValue: new ProcessRole(role) },
      { provide: ProcessFacts, useValue: facts },
      ProcessEvents,
      ProcessCalls,
      { provide: SECRETS, useValue: engines.secrets },
      { provide: Mailer, useValue: new SmtpMailer(settings.mail) },
      { provide: TEXT_HASHER, useFactory: () => keyedHasher(engines.secrets) },
      { provide: AnswerStore, useValue: engines.answers },
      AnswerSweeper,
      { provide: CheckpointStore, useValue: engines.checkpoints },
      { provide: Blobs, useValue: engines.blobs },
      BlobSweeper,
      { provide: Tasks, useFactory: () => bindTasks(settings, engines) },
      TasksLifecycle,
      {
        provide: WorkerDirectory,
        useFactory: () =>
          new WorkerDirectory({ bus: engines.bus, instance, logger: engines.logger }),
      },
      WorkerDirectoryLifecycle,
      { provide: BusNeed, useExisting: TasksLifecycle },
      {
        provide: Tools,
        inject: [ModuleRef],
        useFactory: (providers: ModuleRef) => new Tools(new Areas(toolsOf), providers),
      },
      ...[...settings.ofAreas].map(([provide, useValue]) => ({ provide, useValue })),
      ...(await bindingsOf(areas)),
    ];
    const tokens = providers.map((one) => ('provide' in one ? one.provide : one));
    const modules = areas.map(({ module }) => module);
    return {
      module: QuipuModule,
      global: true,
      imports: [PlatformModule.of(runtime), ...modules, ...edges],
      providers: [...providers],
      // Guards and HTTP modules of an area inject the exports of other areas. The modules of areas
      // are not global: Nest would start them before the command bus has its handlers.
      exports: [...tokens, ...modules],
    };
  }
}
