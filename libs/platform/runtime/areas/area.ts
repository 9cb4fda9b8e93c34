import { type DynamicModule, type Type } from '@nestjs/common';
import { type AnyEventDefinition } from '#events/definition.js';
import { type BatchEndpointDeclaration } from '#platform/batches/batch-endpoint.js';
import { type ChatStrategyDeclaration } from '#platform/chats/chat-strategy.js';
import { type AnyJobType } from '#platform/jobs/job-type.js';
import { type AnyEngineDefinition } from '#platform/tasks/engine.js';
import { type AnyProjection } from '#platform/kernel/projection.js';
import { type AnyProduct } from '#platform/ledger/product.js';
import { type AnyTool } from '#platform/tools/tool.js';
import { type AnyConsumer, type TopicDeclaration } from '../subscriptions/consumer.js';
import { type ErrorMeaning, type FailureMapping, type Meanings } from './failure.js';
import { type LeaderService } from './leader-service.js';
import { type ModelSource } from './model-source.js';
import { type AnyNotification } from './notification.js';
import { type MetricsSource, type ReadinessCheck } from './operations.js';
import { type AnyRelay } from '../subscriptions/outbox.js';
import { type AnySagaDeployment } from '../sagas/saga-deployment.js';
import { type AnySettings } from './settings.js';

/**
 * Everything an area contributes. `apps/composition/areas.ts` lists the areas, one line each;
 * no other existing file names one. The HTTP module, the CLI commands and the bindings of an area
 * are found by their place: `apps/gateway/<name>/<name>-http.module.ts`,
 * `apps/cli/<name>/<name>.commands.ts`, `apps/composition/<name>/<name>.bindings.ts`.
 */
export interface AreaDefinition {
  /** Lower case with dashes; the name of its folders. */
  readonly name: string;
  /** One sentence for the OpenAPI document, whose tag for the area's routes is the name. */
  readonly description?: string;
  /** Handlers and services; injects the platform. Global: its exports need no import. */
  readonly module: Type | DynamicModule;
  /** Every event type the area writes, in its newest version. */
  readonly events?: readonly AnyEventDefinition[];
  readonly projections?: readonly AnyProjection[];
  /** Each saga with the commands it sends; see `deploySaga`. */
  readonly sagas?: readonly AnySagaDeployment[];
  readonly relays?: readonly AnyRelay[];
  /** The services that the area charges for. */
  readonly products?: readonly AnyProduct[];
  /** How the broker keeps the area's topics, where that is not the default. */
  readonly topics?: readonly TopicDeclaration[];
  readonly consumers?: readonly AnyConsumer[];
  /** Providers of the module that work where the sagas run, in one process at a time. */
  readonly leaderServices?: readonly Type<LeaderService>[];
  /** The HTTP answer for each domain error of the area's deciders and services, by its code. */
  readonly errors?: Readonly<Record<string, ErrorMeaning>>;
  /** The HTTP answers for its technical failures. */
  readonly failures?: readonly FailureMapping[];
  /** Engines that compute for the area, in workers or in the process that asks. */
  readonly engines?: readonly AnyEngineDefinition[];
  /** The endpoints that a batch may request, by path. */
  readonly batchEndpoints?: readonly BatchEndpointDeclaration[];
  /** Strategies that answer chats in routing modes of the area. */
  readonly chatStrategies?: readonly ChatStrategyDeclaration[];
  /** Long work of the area. */
  readonly jobs?: readonly AnyJobType[];
  /** Tools that workflows, agents and MCP clients may call; see `defineTool`. */
  readonly tools?: readonly AnyTool[];
  /** Providers of the module that are asked for the list of models. */
  readonly modelSources?: readonly Type<ModelSource>[];
  /** Messages about its events for the owners of accounts; see `defineNotification`. */
  readonly notifications?: readonly AnyNotification[];
  readonly settings?: readonly AnySettings[];
  /** Providers of the module that are asked for `/health/ready`. */
  readonly readiness?: readonly Type<ReadinessCheck>[];
  /** Providers of the module that are asked before each scrape of `/metrics`. */
  readonly metrics?: readonly Type<MetricsSource>[];
}

/** An area with every list present. */
export type Area = Required<AreaDefinition>;

const NAME = /^[a-z][a-z0-9-]*$/;

/** @throws RangeError for a name that cannot be a folder's */
export const defineArea = (definition: AreaDefinition): Area => {
  if (!NAME.test(definition.name))
    throw new RangeError(`not the name of an area: ${definition.name}`);
  return {
    description: `The routes of the area ${definition.name}.`,
    events: [],
    projections: [],
    sagas: [],
    relays: [],
    products: [],
    topics: [],
    consumers: [],
    leaderServices: [],
    errors: {},
    failures: [],
    engines: [],
    batchEndpoints: [],
    chatStrategies: [],
    jobs: [],
    tools: [],
    modelSources: [],
    notifications: [],
    settings: [],
    readiness: [],
    metrics: [],
    ...definition,
  };
};

/** The areas that this process runs; the common code of all areas iterates over them. */
export class Areas {
  constructor(readonly list: readonly Area[]) {}

  /** The HTTP answer for every domain error. @throws Error for a code that two areas declare */
  errors(): Readonly<Record<string, ErrorMeaning>> {
    const entries = this.list.flatMap(({ errors }) => Object.entries(errors));
    const codes = new Set<string>();
    for (const [code] of entries) {
      if (codes.has(code)) throw new Error(`two areas declare the domain error ${code}`);
      codes.add(code);
    }
    return Object.fromEntries(entries);
  }

  /** The notifications of every area. @throws Error for a type that is declared twice */
  notifications(): readonly AnyNotification[] {
    const notifications = this.list.flatMap((area) => area.notifications);
    const types = new Set<string>();
    for (const { type } of notifications) {
      if (types.has(type)) throw new Error(`two areas declare the notification ${type}`);
      types.add(type);
    }
    return notifications;
  }

  /** The meanings of the errors of every area to a caller. @throws Error as `errors` does */
  meanings(): Meanings {
    return { errors: this.errors(), failures: this.list.flatMap(({ failures }) => failures) };
  }
}
