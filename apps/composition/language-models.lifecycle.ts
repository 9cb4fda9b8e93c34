import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { RIGS } from '#areas/inference/ports.js';
import { type RigRouter } from '#areas/inference/rigs/rig-router.js';
import { ProcessRole } from '#platform/runtime/process-role.js';
import { type LanguageModels } from './language-models.binding.js';

export const LANGUAGE_MODELS = Symbol('LanguageModels');

/** Gets the models ready where callers are served; closes rigs and models, in this order. */
@Injectable()
export class LanguageModelLifecycle implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    @Inject(RIGS) private readonly rigs: RigRouter,
    @Inject(LANGUAGE_MODELS) private readonly models: LanguageModels,
    private readonly role: ProcessRole,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (this.role.servesCallers) await this.models.listen();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.rigs.close();
    await this.models.close();
  }
}
