import { Injectable } from '@nestjs/common';
import { Areas } from '#platform/runtime/areas/area.js';
import { isChargeKnown, type Meanings } from '#platform/runtime/areas/failure.js';
import { type Failure } from './envelope.js';
import { failureOf } from './failure-of.js';

/** Converts any thrown value to a failure, by the declarations of the areas. */
@Injectable()
export class Failures {
  readonly #meanings: Meanings;

  constructor(areas: Areas) {
    this.#meanings = areas.meanings();
  }

  of(error: unknown): Failure {
    return failureOf(error, this.#meanings);
  }

  /** Whether the charge of a request that ended with this error is known and final. */
  isChargeKnown(error: unknown): boolean {
    return isChargeKnown(error, this.#meanings);
  }
}
