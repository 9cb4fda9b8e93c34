import { type ImageSize } from './image-size.js';

/**
 * How providers count the tokens of images and audio. Each rule is an upper bound, for holds: the
 * charge is of the tokens that the provider states.
 */
export interface MediaRule {
  readonly provider: MediaProvider;
  /** The provider's name for the model. */
  readonly upstreamId: string;
}

export const MEDIA_PROVIDERS = ['openai', 'anthropic', 'google'] as const;
export type MediaProvider = (typeof MEDIA_PROVIDERS)[number];

/** An image of a prompt. */
export interface Image {
  /** Undefined: at a URL, or in an unknown format. */
  readonly size: ImageSize | undefined;
  /** `low`, `high`, `auto`, `original`, as callers of OpenAI say. */
  readonly detail: unknown;
}

/** Infinity: the provider states no most for an image of unknown size. */
export const imageTokensMax = ({ provider, upstreamId }: MediaRule, image: Image): number => {
  switch (provider) {
    case 'openai':
      return ofOpenAi(upstreamId, image);
    case 'anthropic':
      return ofAnthropic(image);
    case 'google':
      return ofGoogle(upstreamId, image);
  }
};

/** Infinity: the provider has no audio in prompts. */
export const audioTokensMax = ({ provider }: MediaRule, seconds: number): number =>
  seconds * AUDIO_TOKENS_PER_SECOND[provider];

const AUDIO_TOKENS_PER_SECOND: Readonly<Record<MediaProvider, number>> = {
  // One for each 100 ms.
  openai: 10,
  // Gemini 2.5; Gemini 3 has 25. Source: ai.google.dev/gemini-api/docs/media-resolution.
  google: 32,
  anthropic: Infinity,
};

/** Tiles of 512 pixels, after the image is made to fit 2,048 x 2,048, its shorter side 768. */
const TILES: readonly (readonly [RegExp, base: number, perTile: number])[] = [
  [/^gpt-4o-mini/, 2_833, 5_667],
  [/^(gpt-4o|chatgpt-4o|gpt-4\.5|gpt-4\.1(?!-mini|-nano)|gpt-4-turbo)/, 85, 170],
  [/^(o1|o3)(?!-mini)/, 75, 150],
  [/^computer-use/, 65, 129],
  [/^gpt-5(\.1)?(?!\.\d|-mini|-nano)/, 70, 140],
];
const TILES_MAX = 8;

/** Patches of 32 pixels, at a factor; an image of more patches is made smaller. */
const PATCHES: readonly (readonly [RegExp, factor: number, patchesMax: number])[] = [
  [/-nano/, 2.46, 1_536],
  [/-mini/, 1.72, 1_536],
];
/** Later models: the factor that was measured, and no most that is stated. */
const PATCH_FACTOR = 1.2;

const ofOpenAi = (model: string, { size, detail }: Image): number => {
  const tiled = TILES.find(([name]) => name.test(model));
  if (tiled) {
    const [, base, perTile] = tiled;
    return detail === 'low' ? base : base + perTile * (size ? tilesOf(size) : TILES_MAX);
  }
  const patched = PATCHES.find(([name]) => name.test(model));
  const patches = size ? cellsOf(size, 32) : Infinity;
  if (!patched) return Math.ceil(patches * PATCH_FACTOR);
  const [, factor, patchesMax] = patched;
  return Math.ceil(Math.min(patches, patchesMax) * factor);
};

const tilesOf = (size: ImageSize): number => {
  const fits = scaled(size, Math.min(1, 2_048 / Math.max(size.width, size.height)));
  const shorter = scaled(fits, Math.min(1, 768 / Math.min(fits.width, fits.height)));
  return cellsOf(shorter, 512);
};

const scaled = ({ width, height }: ImageSize, factor: number): ImageSize => ({
  width: Math.ceil(width * factor),
  height: Math.ceil(height * factor),
});

const cellsOf = ({ width, height }: ImageSize, side: number): number =>
  Math.ceil(width / side) * Math.ceil(height / side);

/**
 * The most of Claude 4.7 and later, of 2,576 pixels on the longer side; a larger image is made
 * smaller. Source: `skills/claude-api/shared/model-migration.md` of github.com/anthropics/skills.
 * Earlier models have a third of it, about: so stated, and measured somewhat above that.
 */
const ANTHROPIC_TOKENS_MAX = 4_784;
const ANTHROPIC_PATCH = 28;
const PIXELS_PER_TOKEN = 750;

/**
 * Patches of 28 pixels; earlier, a token for 750 pixels. Source:
 * platform.claude.com/docs/en/build-with-claude/vision.
 */
const ofAnthropic = ({ size }: Image): number =>
  size
    ? Math.min(
        ANTHROPIC_TOKENS_MAX,
        Math.max(
          Math.ceil((size.width * size.height) / PIXELS_PER_TOKEN),
          cellsOf(size, ANTHROPIC_PATCH),
        ),
      )
    : ANTHROPIC_TOKENS_MAX;

const GOOGLE_TOKENS_PER_TILE = 258;
/** Up to this side an image is one tile. */
const GOOGLE_SMALL_SIDE = 384;
/** A larger image is made to fit 3,072 x 3,072. */
const GOOGLE_SIDE_MAX = 3_072;
/**
 * Of an image of 3,072 x 384 pixels, by the rule of `googleTilesOf`. It is not stated as a number;
 * what is stated for Gemini 2.5 is less: 256 tokens and about 2,048.
 */
const GOOGLE_TILES_MAX = 24;
/**
 * Gemini 3 at its highest resolution, whatever the size; 1,120 by default. Source of both:
 * ai.google.dev/gemini-api/docs/media-resolution, which calls its numbers approximate.
 */
const GOOGLE_3_TOKENS_MAX = 2_240;
/** Of other models no rule was found: they have the most. */
const GOOGLE_WITH_RULE = /gemini-[123](?!\d)/;

const ofGoogle = (model: string, { size }: Image): number => {
  const tiles = size && GOOGLE_WITH_RULE.test(model) ? googleTilesOf(size) : GOOGLE_TILES_MAX;
  return Math.max(GOOGLE_3_TOKENS_MAX, GOOGLE_TOKENS_PER_TILE * tiles);
};

/**
 * The side of a tile is two thirds of the shorter side; at Vertex 256 to 768. The larger number of
 * tiles counts. Sources: docs.cloud.google.com/vertex-ai, "Image understanding", and
 * ai.google.dev/gemini-api/docs/image-understanding, which calls its rule rough.
 */
const googleTilesOf = (size: ImageSize): number => {
  const fit = scaled(size, Math.min(1, GOOGLE_SIDE_MAX / Math.max(size.width, size.height)));
  const [shorter, longer] = [Math.min(fit.width, fit.height), Math.max(fit.width, fit.height)];
  if (longer <= GOOGLE_SMALL_SIDE) return 1;
  const side = Math.max(1, Math.floor(shorter / 1.5));
  const bounded = Math.min(768, Math.max(256, side));
  return Math.min(GOOGLE_TILES_MAX, Math.max(cellsOf(fit, side), cellsOf(fit, bounded)));
};
