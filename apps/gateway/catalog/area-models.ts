import { Inject, Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { type Clock } from '#platform/kernel/clock.js';
import { MeterPrices } from '#platform/ledger/meter-prices.port.js';
import { Areas } from '#platform/runtime/areas/area.js';
import { type ListedModel, type ModelSource } from '#platform/runtime/areas/model-source.js';
import { CLOCK } from '#platform/runtime/tokens.js';

/** The models that areas name and that have a price now. */
@Injectable()
export class AreaModels {
  constructor(
    private readonly areas: Areas,
    @Inject(ModuleRef) private readonly providers: Pick<ModuleRef, 'get'>,
    private readonly prices: MeterPrices,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Of two with one name, the first. */
  get list(): readonly ListedModel[] {
    const prices = this.prices.inForce(this.clock.now())?.prices;
    const named = this.areas.list
      .flatMap(({ modelSources }) => modelSources)
      .flatMap((source) => this.providers.get<ModelSource>(source, { strict: false }).listedModels)
      .filter(({ meters }) => meters.every((meter) => prices?.has(meter) === true));
    return [...new Map(named.toReversed().map((model) => [model.id, model])).values()].reverse();
  }
}
