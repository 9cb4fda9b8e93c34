import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type ElementsImported } from '#events/orbit/orbit.events.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { type CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import {
  type ElementFormat,
  type ReadElements,
  readElements,
} from './element-file/read-elements.js';
import { type ElementsCommand, type ElementsState } from './elements.decider.js';

export type ElementsRunner = CommandRunner<ElementsCommand, ElementsState, ElementsImported>;
export const ELEMENTS_RUNNER = Symbol('ElementsRunner');

export interface ImportedSatellite {
  readonly satelliteId: number;
  readonly name: string;
  readonly epoch: string;
  /** False where newer elements, or the same ones, are in force. */
  readonly isNew: boolean;
}

export interface ImportedElements {
  readonly format: ElementFormat;
  readonly satellites: readonly ImportedSatellite[];
}

/** Imports the elements of a text. A text with a fault imports nothing. */
export class ImportElementsCommand extends Command<ImportedElements> {
  constructor(
    readonly text: string,
    readonly source: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ImportElementsCommand)
export class ImportElementsHandler implements ICommandHandler<ImportElementsCommand> {
  constructor(
    @Inject(ELEMENTS_RUNNER) private readonly runner: ElementsRunner,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `elements_invalid` */
  async execute({ text, source, context }: ImportElementsCommand): Promise<ImportedElements> {
    const { format, sets } = readElements(text);
    const importedAt = instant(this.clock);
    const satellites: ImportedSatellite[] = [];
    for (const { satelliteId, name, epoch, elements } of newestOf(sets)) {
      const data = { satelliteId, name, epoch, elements, source, importedAt };
      const stream = `orbit-satellite-${satelliteId}`;
      const command = { type: 'ImportElements', data } as const;
      const { events } = await this.runner.run(stream, command, context);
      satellites.push({ satelliteId, name, epoch, isNew: events.length > 0 });
    }
    return { format, satellites };
  }
}

/** One set for each satellite: events of one command in one stream would have one id. */
const newestOf = (sets: readonly ReadElements[]): readonly ReadElements[] => {
  const newest = new Map<number, ReadElements>();
  for (const set of sets) {
    const known = newest.get(set.satelliteId);
    if (known === undefined || set.epoch > known.epoch) newest.set(set.satelliteId, set);
  }
  return [...newest.values()];
};
