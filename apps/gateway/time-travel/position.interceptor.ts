import {
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
  SetMetadata,
} from '@nestjs/common';
import { type Reflector } from '@nestjs/core';
import { type FastifyRequest } from 'fastify';
import { mergeMap, type Observable } from 'rxjs';
import { type LogPlaces, PlaceUnknownError } from '#platform/runtime/history/log-places.js';

const POSITIONS_IN = 'positions-in';
const POSITION = /^\d{1,19}$/;

type Fields = Readonly<Record<string, unknown>>;

/** Names the fields of an answer, at any depth, whose objects have positions as well. */
export const PositionsIn = (...fields: readonly string[]): MethodDecorator & ClassDecorator =>
  SetMetadata(POSITIONS_IN, fields);

/**
 * Turns positions of the store into numbers of events, which name the same state wherever the log
 * is stored. A log whose positions count its events does not need it.
 */
export class PositionInterceptor implements NestInterceptor {
  constructor(
    private readonly places: LogPlaces,
    private readonly reflector: Reflector,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const targets = [context.getHandler(), context.getClass()];
    const nested = this.reflector.getAllAndOverride<readonly string[] | undefined>(
      POSITIONS_IN,
      targets,
    );
    const { method } = context.switchToHttp().getRequest<FastifyRequest>();
    return next.handle().pipe(
      mergeMap(async (answer: unknown) => {
        if (!isAnswer(answer)) return answer;
        return this.#placed(answer, nested ?? [], method === 'GET');
      }),
    );
  }

  async #placed(value: unknown, nested: readonly string[], isRead: boolean): Promise<unknown> {
    if (Array.isArray(value)) {
      return Promise.all(value.map((one: unknown) => this.#placed(one, nested, isRead)));
    }
    if (typeof value !== 'object' || value === null) return value;
    const placed: Record<string, unknown> = { ...value };
    for (const [name, field] of Object.entries(value as Fields)) {
      if (name === 'position' && typeof field === 'string' && POSITION.test(field)) {
        placed[name] = await this.#sizeAt(BigInt(field), isRead);
      } else if (nested.includes(name)) placed[name] = await this.#placed(field, nested, isRead);
    }
    return placed;
  }

  /** A change that was made is answered all the same: null while its place has no number. */
  async #sizeAt(position: bigint, isRead: boolean): Promise<string | null> {
    try {
      return (await this.places.sizeAt(position)).toString();
    } catch (error) {
      if (isRead || !(error instanceof PlaceUnknownError)) throw error;
      return null;
    }
  }
}

/** An answer of an application route: others have fields of other programs. */
const isAnswer = (answer: unknown): boolean =>
  typeof answer === 'object' && answer !== null && 'success' in answer && answer.success === true;
