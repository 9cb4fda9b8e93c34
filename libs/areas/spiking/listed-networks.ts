import { Inject, Injectable } from '@nestjs/common';
import { type Clock } from '#platform/kernel/clock.js';
import { MeterPrices } from '#platform/ledger/meter-prices.port.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { isPriced } from './operation-lines.js';
import { SpikingModels, type StoredCard } from './spiking-models.js';

/** The networks that chats take now: none where the rate card has no price for them. */
@Injectable()
export class ListedNetworks {
  constructor(
    private readonly models: SpikingModels,
    private readonly prices: MeterPrices,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  get list(): readonly StoredCard[] {
    return isPriced(this.prices.inForce(this.clock.now())) ? this.models.list : [];
  }
}
