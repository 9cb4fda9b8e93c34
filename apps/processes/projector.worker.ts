/**
 * A projector in a thread of a process that answers HTTP: projections and sagas on stores of its
 * own. Whatever needs the bus runs in the process.
 */
import 'reflect-metadata';
import os from 'node:os';
import { NestFactory } from '@nestjs/core';
import { CommandBus } from '@nestjs/cqrs';
import { pino } from 'pino';
import { systemClock } from '#platform/kernel/clock.js';
import { ProcessEvents } from '#platform/runtime/process/process-events.js';
import { BridgedBus } from '#platform/runtime/projector/bridged-bus.js';
import { projectorAnswers } from '#platform/runtime/projector/projector-answers.js';
import {
  type ProcessCalls,
  type ProjectorCalls,
} from '#platform/runtime/projector/projector.protocol.js';
import { Runtime } from '#platform/runtime/runtime.js';
import { portOfThread } from '#platform/threads/request-listener.js';
import { ThreadCalls } from '#platform/threads/thread-calls.js';
import { areas } from '../composition/areas.js';
import { withoutListeners } from '../composition/divided-areas.js';
import { openEngines } from '../composition/engines.js';
import { QuipuModule } from '../composition/quipu.module.js';
import { readSettings } from '../composition/settings.js';
import { nestLogger } from '../operations/nest.logger.js';

const begin = async (): Promise<void> => {
  const settings = readSettings(process.env);
  const destination = { write: (line: string) => calls.tell('log', line) };
  const logger = pino({ level: settings.logLevel, base: null }, destination);
  const opened = await openEngines(settings, systemClock, logger, areas, {
    onAppended: () => calls.tell('appended', null),
    bus: new BridgedBus((publication) => calls.call('publish', publication)),
  });
  // The process keeps the tree of the log.
  const engines = { ...opened, keepsTree: false };
  const runtime = new Runtime(engines, withoutListeners(areas));
  const parts = { settings, engines, runtime, areas, runsReactions: true, hostsJobs: false };
  const module = await QuipuModule.of({ ...parts, role: 'projector' });
  await runtime.startProjections();
  // Nest throws a composition error instead of ending the process.
  const options = { logger: nestLogger(logger), abortOnError: false };
  const app = await NestFactory.createApplicationContext(module, options);
  await runtime.startReactions(app.get(CommandBus));
  const processEvents = app.get(ProcessEvents);
  const stop = async (): Promise<void> => {
    await processEvents.drain(settings.drainSeconds * 1_000);
    await runtime.stop();
    await app.close();
    await engines.close();
  };
  calls.offer({
    ...projectorAnswers(runtime),
    reload: () => processEvents.reload(),
    stop,
  });
  letRequestsGoFirst();
};

/**
 * Lowers the priority of this thread, and not of its store's writer, which has been started: a
 * writer that holds the lock of the log and gets no CPU would delay the writer of the requests.
 */
const letRequestsGoFirst = (): void => {
  // Elsewhere the priority would apply to the whole process.
  if (process.platform === 'linux') os.setPriority(os.constants.priority.PRIORITY_BELOW_NORMAL);
};

const calls = new ThreadCalls<ProcessCalls, ProjectorCalls>(portOfThread(), { begin });
