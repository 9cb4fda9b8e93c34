import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { messageOf } from '#platform/kernel/faults.js';
import { ModelCard } from './model-card.js';
import { reject } from './spiking.errors.js';
import { isSpikingMode, SPIKING_MODES } from './spiking.modes.js';
import { type ListedModel, type ModelSource } from '#platform/runtime/areas/model-source.js';
import { MACS_METER, SYNAPTIC_EVENTS_METER } from './operation-lines.js';
import { SPIKING_SETTINGS, type SpikingSettings } from './spiking.settings.js';

/** Answers where a caller names nothing, or a mode that several networks have. */
const DEFAULT_SLUG = 'snnlib/spiking-resnet50';

/** A network as a caller names it: by its slug, by its mode, by both, or not at all. */
export interface NetworkChoice {
  readonly model: string | null;
  readonly routingMode: string | null;
}

/** The card of a network, and when its file was written here, in seconds since the epoch. */
export type StoredCard = ModelCard & { readonly writtenAtEpochSeconds: number };

/** Which field of a request decided the network. */
export const CHOSEN_BY = ['model', 'routing_mode', 'default'] as const;
export type ChosenBy = (typeof CHOSEN_BY)[number];

export const chosenBy = ({ model, routingMode }: NetworkChoice): ChosenBy => {
  if (model !== null) return 'model';
  return routingMode === null || routingMode === 'auto' ? 'default' : 'routing_mode';
};

/**
 * The networks whose cards are in the folders of models. The cards are small; they are read for the
 * first caller, and kept until the process ends.
 */
@Injectable()
export class SpikingModels implements ModelSource {
  #cards: readonly StoredCard[] | undefined;

  constructor(@Inject(SPIKING_SETTINGS) private readonly settings: SpikingSettings) {}

  /** By slug. @throws Error for a card that cannot be read */
  get list(): readonly StoredCard[] {
    this.#cards ??= readCards(this.settings.modelFolders);
    return this.#cards;
  }

  /** Chats reach them by their slugs; the publisher is the first part of it. */
  get listedModels(): readonly ListedModel[] {
    return this.list.map(({ slug, writtenAtEpochSeconds }) => ({
      id: slug,
      createdEpochSeconds: writtenAtEpochSeconds,
      ownedBy: slug.slice(0, slug.indexOf('/')),
      endpoints: [],
      meters: [SYNAPTIC_EVENTS_METER, MACS_METER],
    }));
  }

  find(slug: string): StoredCard | undefined {
    return this.list.find((card) => card.slug === slug);
  }

  /** @throws DomainError that names what is wrong, and lists what is known */
  choose({ model, routingMode }: NetworkChoice): ModelCard {
    const mode = routingMode === 'auto' ? null : routingMode;
    if (mode !== null && !isSpikingMode(mode)) {
      return reject(
        'snn_mode_unknown',
        `routing_mode: expected one of ${SPIKING_MODES.join(', ')}, received ${mode}`,
      );
    }
    if (model !== null) return this.#named(model, mode);
    if (mode === null) return this.#defaultOf(this.list) ?? this.#none();
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
    return this.#defaultOf(this.list.filter(({ routingMode }) => routingMode === mode));
  }

  #defaultOf(cards: readonly ModelCard[]): ModelCard | undefined {
    return cards.find(({ slug }) => slug === DEFAULT_SLUG) ?? cards[0];
  }

  #none(): never {
    return reject('snn_model_missing', 'this installation has no spiking network');
  }

  #unknown(slug: string): never {
    const known = this.list.map((card) => card.slug).join(', ');
    return reject(
      'snn_model_unknown',
      `model: expected one of ${known || '(none)'}, received ${slug}`,
    );
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
const readCards = (folders: readonly string[]): readonly StoredCard[] => {
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
    if (Error.isError(error) && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
};

/** @throws Error that names the file and what is wrong with it */
const readCard = (file: string): StoredCard => {
  const parsed = ModelCard.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  const writtenAtEpochSeconds = Math.floor(statSync(file).mtimeMs / 1_000);
  if (parsed.success) return { ...parsed.data, writtenAtEpochSeconds };
  const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`${file}: ${messageOf(faults)}`, { cause: z.prettifyError(parsed.error) });
};
