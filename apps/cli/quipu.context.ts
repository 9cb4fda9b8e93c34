import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { type Clock } from '#platform/kernel/clock.js';
import { type AnyProjection } from '#platform/kernel/projection.js';
import { type Area } from '#platform/runtime/areas/area.js';
import { type CommandContext, contextOf } from '#platform/runtime/commands/command-context.js';
import { type Position } from '#platform/event-store/event-store.port.js';
import { Runtime } from '#platform/runtime/runtime.js';
import { areas as shippedAreas } from '../composition/areas.js';
import { QuipuModule } from '../composition/quipu.module.js';
import { nestLogger } from '../operations/nest.logger.js';
import { CommandFailure, stopIfInterrupted } from './command-failure.js';
import { type Expectation, type Installation, withInstallation } from './installation.js';
import { type Invocation } from './invocation.js';
import { placeAt } from './log-place.js';
import { PrivateReadStore } from './private-read-store.js';
import { withProgress } from './progress.js';

const CATCH_UP_POLL_MS = 20;

/** The commands and queries of the composed areas. */
export interface Quipu {
  readonly commands: CommandBus;
  readonly queries: QueryBus;
  readonly clock: Clock;
  /** For a command of this invocation. */
  readonly context: () => CommandContext;
  /** The place in the log that a copy keeps; null while it has no number yet. */
  readonly placeAt: (position: Position) => Promise<string | null>;
}

export interface Needs {
  readonly installation: Expectation;
  /** The areas whose commands and queries the work dispatches, by name; no other is composed. */
  readonly areas: readonly string[];
  /** The read models that the work reads. They catch up with the log head before the work. */
  readonly projections: readonly AnyProjection[];
  /** The effect of a read model that stops; default: the command fails. */
  readonly onStopped?: 'fail' | 'go-on';
}

/**
 * Composes the named areas for one command. A server may be running on the same files: only the
 * server runs sagas and relays and writes read models. The read models that the command reads catch
 * up with the log head in memory.
 */
export const withQuipu = <Result>(
  invocation: Invocation,
  needs: Needs,
  work: (quipu: Quipu) => Promise<Result>,
): Promise<Result> =>
  withInstallation(invocation, needs.installation, async (installation) => {
    const readStore = new PrivateReadStore(installation.engines.readStore);
    const engines = { ...installation.engines, readStore };
    const areas = invocation.parts?.areas ?? shippedAreas;
    const wanted = areasFor(needs, areas);
    const runtime = new Runtime(engines, [...wanted, ...eventsOfOthers(needs, areas)]);
    const app = await compose({ ...installation, engines }, runtime, { wanted, areas });
    try {
      await runtime.startProjections();
      await catchUp(runtime, invocation, needs);
      return await work({
        commands: app.get(CommandBus),
        queries: app.get(QueryBus),
        clock: engines.clock,
        context: () => contextOf(randomUUID(), 'cli'),
        placeAt: (position) => placeAt(runtime.places, position),
      });
    } finally {
      await app.close();
      await runtime.stop();
    }
  });

const areasFor = ({ areas: names, projections }: Needs, areas: readonly Area[]): readonly Area[] =>
  areas
    .filter(({ name }) => names.includes(name))
    .map((area) => ({
      ...area,
      projections: area.projections.filter((one) => projections.includes(one)),
    }));

/** A read model may read events of any area. */
const eventsOfOthers = ({ areas: names }: Needs, areas: readonly Area[]): readonly Area[] =>
  areas.filter(({ name }) => !names.includes(name)).map((area) => ({ ...area, projections: [] }));

const compose = async (
  { settings, engines, logger }: Installation,
  runtime: Runtime,
  { wanted, areas }: { readonly wanted: readonly Area[]; readonly areas: readonly Area[] },
): Promise<INestApplicationContext> => {
  const module = await QuipuModule.of({
    settings,
    engines,
    runtime,
    areas: wanted,
    toolsOf: areas,
    role: 'cli',
    runsReactions: false,
  });
  // Nest throws a composition error instead of ending the process.
  const options = { logger: nestLogger(logger), abortOnError: false };
  return NestFactory.createApplicationContext(module, options);
};

/** Waits for the current log head only: a busy server keeps moving it. */
const catchUp = async (
  { projectionHost, engines }: Runtime,
  invocation: Invocation,
  { onStopped = 'fail' }: Needs,
) => {
  const head = await engines.eventStore.head();
  await withProgress(invocation, 'Reading the log', async (onProgress) => {
    for (;;) {
      stopIfInterrupted(invocation.signal);
      const runners = await projectionHost.status();
      const failed = runners.find(({ failure }) => failure !== null);
      if (failed && onStopped === 'fail') throw stopped(failed.projection, failed.failure);
      const going = runners.filter(({ failure }) => failure === null);
      const slowest = going.reduce((least, { position }) => lower(least, position), head);
      if (slowest >= head) return;
      onProgress(slowest, head);
      await sleep(CATCH_UP_POLL_MS);
    }
  });
};

const lower = (one: bigint, other: bigint): bigint => (one < other ? one : other);

const stopped = (projection: string, failure: string | null): CommandFailure =>
  new CommandFailure(
    'projection_stopped',
    `the projection ${projection} stopped: ${failure ?? ''}`,
  );
