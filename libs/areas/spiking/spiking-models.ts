import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { messageOf } from '#platform/kernel/faults.js';
import { ModelCard } from './model-card.js';
import { reject } from './spiking.errors.js';
import { isSpikingMode, SPIKING_MODES } from './spiking.modes.js';
import { SPIKING_SETTINGS, type SpikingSettings } from './spiking.settings.js';

/** Answers for a mode that several networks have, where a caller names no model. */
const FIRST_OF_MODE: ReadonlySet<string> = new Set(['snnlib/spiking-resnet50']);

/** A network as a caller names it: by its slug, by its mode, or by both. */
export interface NetworkChoice {
  readonly model: string | null;
  readonly routingMode: string | null;
}

/**
 * The networks whose cards are in the folders of models. The cards are small; they are read when the
 * first caller asks, and kept until the process ends.
 */
@Injectable()
export class SpikingModels {
  #cards: readonly ModelCard[] | undefined;

  constructor(@Inject(SPIKING_SETTINGS) private readonly settings: SpikingSettings) {}

  /** By slug. @throws Error for a card that cannot be read */
  get list(): readonly ModelCard[] {
    this.#cards ??= readCards(this.settings.modelFolders);
    return this.#cards;
  }

  find(slug: string): ModelCard | undefined {
    return this.list.find((card) => card.slug === slug);
  }

  /** @throws DomainError that names what is wrong, and lists what is known */
  choose({ model, routingMode }: NetworkChoice): ModelCard {
    const mode = routingMode === 'auto' ? null : routingMode;
    if (mode !== null && !isSpikingMode(mode)) {
      return reject(
        'snn_mode_unknown',
        `routing_mode ${mode} is none of ${SPIKING_MODES.join(', ')}`,
      );
    }
    if (model !== null) return this.#named(model, mode);
    if (mode === null) return reject('snn_model_missing', 'give model, routing_mode or both');
    return this.#ofMode(mode) ?? this.#untrained(mode);
  }

  #named(slug: string, mode: string | null): ModelCard {
    const card = this.find(slug) ?? this.#unknown(slug);
    if (mode === null || mode === card.routingMode) return card;
    return reject(
      'snn_mode_mismatch',
      `the routing_mode of ${slug} is ${card.routingMode}, not ${mode}`,
    );
  }

  #ofMode(mode: string): ModelCard | undefined {
    const cards = this.list.filter(({ routingMode }) => routingMode === mode);
    return cards.find(({ slug }) => FIRST_OF_MODE.has(slug)) ?? cards[0];
  }

  #unknown(slug: string): never {
    const known = this.list.map((card) => card.slug).join(', ');
    return reject('snn_model_unknown', `the model ${slug} is none of ${known || '(none)'}`);
  }

  #untrained(mode: string): never {
    const modes = [...new Set(this.list.map(({ routingMode }) => routingMode))].join(', ');
    return reject(
      'snn_mode_untrained',
      `this installation has no network for routing_mode ${mode}; it has some for ${modes}`,
    );
  }
}

/** The first folder that has a name wins, as it does for weights. */
const readCards = (folders: readonly string[]): readonly ModelCard[] => {
  const files = new Map<string, string>();
  for (const folder of folders.map((one) => path.join(one, 'spiking'))) {
    for (const name of foldersIn(folder)) {
      if (!files.has(name)) files.set(name, path.join(folder, name, 'card.json'));
    }
  }
  return [...files.values()].map(readCard).sort((one, other) => (one.slug < other.slug ? -1 : 1));
};

/** A folder that is absent has no networks. */
const foldersIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
};

/** @throws Error that names the file and what is wrong with it */
const readCard = (file: string): ModelCard => {
  const parsed = ModelCard.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`${file}: ${messageOf(faults)}`, { cause: z.prettifyError(parsed.error) });
};
