import { hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { inOnePiece, type Pieces } from '#platform/blobs/pieces.js';
import { type ResidentModel } from '../resident-models.port.js';
import { billOfMaterials } from './bill-of-materials.js';
import { inOrder, type TarMember } from './tar.js';

/** A file of the content, whose hash is known before it is read. */
export interface ContentFile extends TarMember {
  readonly sha256: string;
}

/** The texts of the verifiers that each package has. */
export interface Verifiers {
  readonly module: string;
  readonly script: string;
}

export const RUNTIME_CONFIGURATION = 'runtime.json';
const RUNTIME_FORMAT = 'quipu.runtime.v1';
const PIECE_BYTES = 1 << 20;

/**
 * The files of the content. They follow from the model and the hardware alone, so that equal
 * packages have equal archives.
 */
export const contentOf = (
  model: ResidentModel,
  hardwareArchitecture: string | null,
  verifiers: Verifiers,
): readonly ContentFile[] => {
  const weights: ContentFile = {
    name: model.fileName,
    bytes: model.bytes,
    sha256: model.sha256,
    content: (): Pieces => createReadStream(model.file, { highWaterMark: PIECE_BYTES }),
  };
  const texts = [
    fileOf('LICENCE.txt', model.licence.text),
    fileOf('MODEL_CARD.md', model.card),
    fileOf(RUNTIME_CONFIGURATION, runtimeOf(model, hardwareArchitecture)),
    fileOf('verify.mjs', verifiers.module),
    fileOf('verify.sh', verifiers.script),
  ];
  const listed = inOrder([weights, ...texts]);
  return inOrder([...listed, fileOf('sbom.cdx.json', billOfMaterials(model, listed))]);
};

const fileOf = (name: string, text: string): ContentFile => {
  const content = Buffer.from(text);
  return {
    name,
    bytes: content.length,
    sha256: hash('sha256', content),
    content: () => inOnePiece(content),
  };
};

/** How the model is served without Quipu's catalog. */
export interface RuntimeConfiguration {
  readonly format: typeof RUNTIME_FORMAT;
  readonly model: {
    readonly id: string;
    readonly kind: 'chat' | 'embedding';
    readonly file: string;
    readonly sha256: string;
    readonly architecture: string | null;
    readonly context_tokens: number;
    readonly max_output_tokens: number;
    readonly dimensions: number | null;
  };
  readonly hardware_architecture: string | null;
}

const runtimeOf = (model: ResidentModel, hardwareArchitecture: string | null): string => {
  const configuration: RuntimeConfiguration = {
    format: RUNTIME_FORMAT,
    model: {
      id: model.modelId,
      kind: model.kind,
      file: model.fileName,
      sha256: model.sha256,
      architecture: model.architecture,
      context_tokens: model.contextTokens,
      max_output_tokens: model.maxOutputTokens,
      dimensions: model.dimensions,
    },
    hardware_architecture: hardwareArchitecture,
  };
  return `${JSON.stringify(configuration, null, 2)}\n`;
};
