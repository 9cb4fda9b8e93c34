import { type DynamicModule, type Type } from '@nestjs/common';
import { type AnyEventDefinition } from '#events/definition.js';
import { type AnyProjection } from '#platform/kernel/projection.js';
import { type AnyRelay } from './outbox.js';
import { type AnySagaDeployment } from './saga-deployment.js';

/** What a refusal is in HTTP, and the field it is about where it is always the same one. */
export interface Refusal {
  readonly status: number;
  readonly param?: string;
}

/**
 * All that an area hangs on the spine. The composition root in `apps/composition` lists areas, one
 * line each; nothing else has to know a new one.
 */
export interface Area {
  readonly name: string;
  /** Every event type the area writes, in its newest version. */
  readonly events: readonly AnyEventDefinition[];
  readonly projections: readonly AnyProjection[];
  /** Each saga with the commands it sends; see `deploySaga`. */
  readonly sagas?: readonly AnySagaDeployment[];
  readonly relays?: readonly AnyRelay[];
  /** By the code that the area's deciders refuse with. */
  readonly refusals: Readonly<Record<string, Refusal>>;
  /** Handlers and services; sees the platform through `PlatformModule`'s tokens. */
  readonly module: Type | DynamicModule;
}
