import { type ICommand } from '@nestjs/cqrs';
import { type DynamicModule, type Type } from '@nestjs/common';
import { type AnyEventDefinition } from '#events/definition.js';
import { type AnyProjection } from '#platform/kernel/projection.js';
import { type AnySaga } from '#platform/kernel/saga.js';
import { type AnyEngineDefinition } from '#platform/tasks/engine.js';
import { type CommandContext } from './command-context.js';
import { type Relay } from './outbox.js';

/** Builds the command that a saga asked for by name. */
export type SagaCommandFactory = (data: never, context: CommandContext) => ICommand;

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
  readonly sagas: readonly AnySaga[];
  /** The commands that the area's sagas send, by name. */
  readonly sagaCommands: Readonly<Record<string, SagaCommandFactory>>;
  readonly relays: readonly Relay[];
  /** By the code that the area's deciders refuse with. */
  readonly refusals: Readonly<Record<string, Refusal>>;
  /** What computes for the area, in workers or in the process that asks. */
  readonly engines?: readonly AnyEngineDefinition[];
  /** Handlers and services; sees the platform through `PlatformModule`'s tokens. */
  readonly module: Type | DynamicModule;
}
