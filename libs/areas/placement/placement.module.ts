import { Module } from '@nestjs/common';
import { ExpirePlacementHandler, ReleasePlacementHandler } from './end-placement.handlers.js';
import { PlaceStagesHandler } from './place-stages.handler.js';
import { PlacementHandler, PlacementsHandler } from './placement.queries.js';
import { Placements } from './placements.js';

@Module({
  providers: [
    Placements,
    PlaceStagesHandler,
    ReleasePlacementHandler,
    ExpirePlacementHandler,
    PlacementHandler,
    PlacementsHandler,
  ],
})
export class PlacementModule {}
