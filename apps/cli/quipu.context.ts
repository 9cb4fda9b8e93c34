import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { RIGS } from '#areas/inference/ports.js';
import { type RigRouter } from '#areas/inference/rigs/rig-router.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type AnyProjection } from '#platform/kernel/projection.js';
import { type CommandContext, contextOf } from '#platform/runtime/command-context.js';
import { Runtime } from '#platform/runtime/runtime.js';
import { type TaskHosting, Tasks } from '#platform/tasks/tasks.port.js';
import { areas } from '../composition/areas.js';
import { QuipuModule } from '../composition/quipu.module.js';
import { nestLogger } from '../gateway/nest.logger.js';
import { CommandFailure, stopIfInterrupted } from './command-failure.js';
import { type Expectation, type Installation, withInstallation } from './installation.js';
import { type Invocation } from './invocation.js';
import { PrivateReadStore } from './private-read-store.js';
import { openProgress } from './progress.js';

const CATCH_UP_POLL_MS = 20;

/** All that Quipu can do, without HTTP. */
export interface Quipu {
  readonly commands: CommandBus;
  readonly queries: QueryBus;
  readonly clock: Clock;
  /** For a command of this invocation. */
  readonly context: () => CommandContext;
}

export interface Needs {
  readonly installation: Expectation;
  /** The read models that the work asks; they are brought up to the log's head first. */
  readonly projections: readonly AnyProjection[];
}

/**
 * Composes Quipu for one command. A server may be running on the same files: it goes on projecting,
 * reacting and publishing prices, and nothing here does. What a command has to know of events that
 * no server has projected yet is folded in memory.
 */
export const withQuipu = <Result>(
  invocation: Invocation,
  needs: Needs,
  work: (quipu: Quipu) => Promise<Result>,
): Promise<Result> =>
  withInstallation(invocation, needs.installation, async (installation) => {
    const readStore = new PrivateReadStore(installation.engines.readStore);
    const engines = { ...installation.engines, readStore };
    const wanted = areas.map((area) => ({
      ...area,
      projections: area.projections.filter((one) => needs.projections.includes(one)),
    }));
    const runtime = new Runtime(engines, wanted);
    const app = await compose({ ...installation, engines }, runtime);
    try {
      await runtime.startProjections();
      await catchUp(runtime, invocation);
      return await work({
        commands: app.get(CommandBus),
        queries: app.get(QueryBus),
        clock: engines.clock,
        context: () => contextOf(randomUUID(), 'cli'),
      });
    } finally {
      await app.get<RigRouter>(RIGS, { strict: false }).close();
      await app.get<TaskHosting>(Tasks, { strict: false }).close();
      await app.close();
      await runtime.stop();
    }
  });

const compose = (
  { settings, engines, logger }: Installation,
  runtime: Runtime,
): Promise<INestApplicationContext> => {
  const module = QuipuModule.of(settings, engines, runtime, []);
  // Throws what cannot be composed instead of ending the process.
  const options = { logger: nestLogger(logger), abortOnError: false };
  return NestFactory.createApplicationContext(module, options);
};

/** Up to the head as it is now: a busy server would keep this waiting for ever otherwise. */
const catchUp = async ({ projections, engines }: Runtime, invocation: Invocation) => {
  const head = await engines.eventStore.head();
  const progress = await openProgress(invocation.stderr, 'Reading the log');
  try {
    for (;;) {
      stopIfInterrupted(invocation.signal);
      const readers = await projections.status();
      const failed = readers.find(({ failure }) => failure !== null);
      if (failed) throw stopped(failed.projection, failed.failure);
      const slowest = readers.reduce((least, { position }) => lower(least, position), head);
      if (slowest >= head) return;
      progress.update(slowest, head);
      await sleep(CATCH_UP_POLL_MS);
    }
  } finally {
    progress.stop();
  }
};

const lower = (one: bigint, other: bigint): bigint => (one < other ? one : other);

const stopped = (projection: string, failure: string | null): CommandFailure =>
  new CommandFailure(
    'projection_stopped',
    `the projection ${projection} stopped: ${failure ?? ''}`,
  );
