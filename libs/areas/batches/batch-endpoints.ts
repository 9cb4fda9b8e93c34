import { Inject, Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { type BatchEndpoint } from '#platform/batches/batch-endpoint.js';
import { Areas } from '#platform/runtime/areas/area.js';

/** The endpoints that areas declare for batches, by path. */
@Injectable()
export class BatchEndpoints {
  constructor(
    private readonly areas: Areas,
    @Inject(ModuleRef) private readonly providers: Pick<ModuleRef, 'get'>,
  ) {}

  get paths(): readonly string[] {
    return this.#declarations.map(({ path }) => path);
  }

  of(path: string): BatchEndpoint | undefined {
    const declared = this.#declarations.find((one) => one.path === path);
    return declared && this.providers.get(declared.endpoint, { strict: false });
  }

  get #declarations() {
    return this.areas.list.flatMap(({ batchEndpoints }) => batchEndpoints);
  }
}
