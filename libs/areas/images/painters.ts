import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { type ListedModel, type ModelSource } from '#platform/runtime/areas/model-source.js';
import { EMBEDDED_MODEL, EmbeddedPainter } from './embedded-painter.js';
import { PIXELS_METER, STEPS_METER, UPSTREAM_METER } from './image.product.js';
import { ImagesError } from './images.errors.js';
import { IMAGES_SETTINGS, type ImagesSettings } from './images.settings.js';
import { type Painter } from './painter.js';
import { Automatic1111Painter } from './upstreams/automatic1111.painter.js';
import { ComfyUiPainter } from './upstreams/comfyui.painter.js';
import { type ImageUpstream, readImageUpstreams } from './upstreams/image-upstreams.file.js';
import { OpenAiPainter } from './upstreams/openai.painter.js';
import { TritonPainter } from './upstreams/triton.painter.js';

/** The model of a request that names none. */
export const MODEL_DEFAULT = 'flux-schnell';

const ENDPOINTS = ['/v1/images/generations', '/v1/images/edits'];

const PAINTERS = {
  openai: OpenAiPainter,
  automatic1111: Automatic1111Painter,
  comfyui: ComfyUiPainter,
  triton: TritonPainter,
} as const;

/** Finds who makes the pictures of a model. */
@Injectable()
export class Painters implements OnModuleInit, ModelSource {
  #upstreams: ReadonlyMap<string, Painter> = new Map();

  constructor(
    private readonly embedded: EmbeddedPainter,
    @Inject(IMAGES_SETTINGS) private readonly settings: Pick<ImagesSettings, 'upstreamsFile'>,
  ) {}

  /** @throws SettingsError for a file that cannot be used: the process does not start */
  async onModuleInit(): Promise<void> {
    const { upstreamsFile } = this.settings;
    if (upstreamsFile !== null) this.serve(await readImageUpstreams(upstreamsFile));
  }

  /** Gives the models of these servers to them. */
  serve(servers: readonly ImageUpstream[]): void {
    this.#upstreams = new Map(
      servers.flatMap((server) =>
        server.image_models.map((model) => [model.id, new PAINTERS[server.server](server, model)]),
      ),
    );
  }

  get listedModels(): readonly ListedModel[] {
    const shared = { createdEpochSeconds: 0, endpoints: ENDPOINTS };
    const meters = [STEPS_METER, PIXELS_METER];
    return [
      { id: EMBEDDED_MODEL, ownedBy: 'quipu', meters, ...shared },
      ...[...this.#upstreams].map(([id, { engine: ownedBy }]) => ({
        id,
        ownedBy,
        meters: [UPSTREAM_METER],
        ...shared,
      })),
    ];
  }

  /**
   * The default is the embedded model under its own name, where no upstream serves `flux-schnell`.
   * @throws ImagesError `model`
   */
  of(model: string | null): Painter {
    const upstream = this.#upstreams.get(model ?? MODEL_DEFAULT);
    if (upstream) return upstream;
    if (model === null || model === MODEL_DEFAULT || model === EMBEDDED_MODEL) return this.embedded;
    const detail =
      `model: no upstream serves ${model}; the embedded model is ${EMBEDDED_MODEL}, and ` +
      'QUIPU_IMAGE_UPSTREAMS lists upstreams';
    throw new ImagesError('model', detail);
  }
}
