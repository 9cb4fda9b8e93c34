import { type MediaProvider, type MediaRule } from '#platform/chats/media/media-rules.js';
import { type CatalogRig, type ModelEntry, rigModelOf } from './catalog-entry.js';

/** The published rules by which the servers of a model count images; undefined: one has none. */
export const mediaRulesOf = (
  model: ModelEntry,
  rigs: readonly CatalogRig[],
): readonly MediaRule[] | undefined => {
  const rules: MediaRule[] = [];
  for (const rig of rigs) {
    // An embedded model takes no images.
    if (rig.kind === 'embedded' || !model.rigs.includes(rig.name)) continue;
    const { upstreamId } = rigModelOf(rig, model);
    const provider = providerOf(rig, upstreamId);
    if (provider === undefined) return undefined;
    rules.push({ provider, upstreamId });
  }
  return rules.length > 0 ? rules : undefined;
};

/** Bedrock sells models of several makers; other servers of kind openai serve any. */
const providerOf = (rig: CatalogRig, upstreamId: string): MediaProvider | undefined => {
  switch (rig.kind) {
    case 'openai':
      return rig.server === 'openai' ? 'openai' : undefined;
    case 'anthropic':
      return 'anthropic';
    case 'gemini':
    case 'vertex':
      return 'google';
    case 'bedrock':
      return upstreamId.includes('anthropic.') ? 'anthropic' : undefined;
    // A deployment has any name.
    case 'azure-openai':
    case 'embedded':
      return undefined;
  }
};
