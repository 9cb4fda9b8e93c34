import { Module } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type Logger } from 'pino';
import { catalogEvents } from '#events/catalog/rate-card.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type Clock } from '#platform/kernel/clock.js';
import { MeterPrices } from '#platform/ledger/meter-prices.port.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { CLOCK, CODEC, EVENT_STORE, LOGGER } from '#platform/runtime/tokens.js';
import { Catalog } from './catalog.js';
import { CatalogOperations } from './catalog.operations.js';
import { CATALOG_SETTINGS, type CatalogSettings } from './catalog.settings.js';
import { LocalModelKinds } from './local-model-kinds.port.js';
import {
  ProposePricesHandler,
  PublishProposalHandler,
} from './proposals/propose-prices.handler.js';
import { PublishRateCardHandler } from './publish-rate-card.handler.js';
import { rateCardDecider } from './rate-card.decider.js';
import { RateCardHandler, RateCardsHandler } from './rate-card.handler.js';
import { RATE_CARD_RUNNER, type RateCardRunner } from './rate-card-runner.js';
import { RateCards } from './rate-cards.js';

const rateCardRunner = {
  provide: RATE_CARD_RUNNER,
  inject: [EVENT_STORE, CODEC],
  useFactory: (eventStore: EventStore, codec: EventCodec): RateCardRunner =>
    new CommandRunner({ decider: rateCardDecider, eventStore, codec: codec.for(catalogEvents) }),
};

const rateCards = {
  provide: RateCards,
  inject: [EVENT_STORE, CODEC, CLOCK, LOGGER, CATALOG_SETTINGS],
  useFactory: (
    eventStore: EventStore,
    codec: EventCodec,
    clock: Clock,
    logger: Logger,
    { rateCardsPollMs }: CatalogSettings,
  ) => new RateCards(eventStore, codec, clock, logger, rateCardsPollMs),
};

const catalog = {
  provide: Catalog,
  inject: [
    CATALOG_SETTINGS,
    CommandBus,
    RateCards,
    CLOCK,
    LOGGER,
    { token: LocalModelKinds, optional: true },
  ],
  useFactory: (
    settings: CatalogSettings,
    commands: CommandBus,
    cards: RateCards,
    clock: Clock,
    logger: Logger,
    kinds?: LocalModelKinds,
  ) => new Catalog(settings, commands, cards, clock, logger, kinds),
};

const meterPrices = {
  provide: MeterPrices,
  inject: [RateCards],
  useFactory: (cards: RateCards): MeterPrices => ({ inForce: (atMs) => cards.metersAt(atMs) }),
};

@Module({
  providers: [
    rateCardRunner,
    rateCards,
    catalog,
    meterPrices,
    CatalogOperations,
    PublishRateCardHandler,
    RateCardHandler,
    RateCardsHandler,
    ProposePricesHandler,
    PublishProposalHandler,
  ],
  exports: [Catalog, CatalogOperations, MeterPrices],
})
export class CatalogModule {}
