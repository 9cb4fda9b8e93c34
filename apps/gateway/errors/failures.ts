import { Inject, Injectable } from '@nestjs/common';
import { type Failure } from './envelope.js';
import { failureOf, type Refusals } from './failure-of.js';

/** The composition root, which knows all areas, provides their refusals under this token. */
export const REFUSALS = Symbol('Refusals');

/** Turns whatever was thrown into what the caller is told. */
@Injectable()
export class Failures {
  constructor(@Inject(REFUSALS) private readonly refusals: Refusals) {}

  of(error: unknown): Failure {
    return failureOf(error, this.refusals);
  }
}
