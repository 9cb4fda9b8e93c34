import { reject } from '../swarm.errors.js';
import { type SwarmModel, type SwarmModels } from '../swarm-models.port.js';

/** The decoder: a pair of this installation, or an upstream that drafts by itself. */
export type Verifier =
  | {
      readonly kind: 'pair';
      readonly model: SwarmModel;
      readonly targetFile: string;
      readonly draft: SwarmModel;
      readonly draftFile: string;
      readonly rig: string;
    }
  | { readonly kind: 'upstream'; readonly model: SwarmModel };

export interface VerifierAsked {
  readonly model: string;
  readonly draftModel: string | null;
  readonly draftTokensMax: number | null;
}

/** @throws DomainError */
export const chooseVerifier = (
  models: Pick<SwarmModels, 'find'>,
  { model: id, draftModel, draftTokensMax }: VerifierAsked,
): Verifier => {
  const model = models.find(id) ?? unknown(id);
  const { file: targetFile, rigs } = model;
  const rig = rigs.find(({ kind }) => kind === 'embedded');
  if (targetFile === null || !rig) return upstream(model, draftModel, draftTokensMax);
  const draftId = draftModel ?? model.draft ?? withoutDraft(id);
  const draft =
    models.find(draftId) ??
    reject('draft_model_unknown', `the model ${draftId} is not in the catalog`);
  const draftFile =
    draft.file ??
    reject('draft_model_unsuitable', `${draftId} has no GGUF file, so it cannot draft for ${id}`);
  return { kind: 'pair', model, targetFile, draft, draftFile, rig: rig.name };
};

const upstream = (
  model: SwarmModel,
  draftModel: string | null,
  draftTokensMax: number | null,
): Verifier => {
  const own = `the rig of ${model.id} drafts by itself, as its operator has set it up`;
  if (draftModel !== null) {
    return reject('draft_model_unsuitable', `${own}; leave draft_model out`);
  }
  if (draftTokensMax !== null) {
    const detail = `speculative_steps is refused: ${own}`;
    return reject('swarm_field_unsupported', detail);
  }
  return { kind: 'upstream', model };
};

const unknown = (id: string): never =>
  reject('swarm_model_unknown', `the model ${id} is not in the catalog; see GET /v1/models`);

const withoutDraft = (id: string): never =>
  reject(
    'draft_model_missing',
    `the catalog names no draft for ${id}: name one with the same vocabulary in draft_model`,
  );
