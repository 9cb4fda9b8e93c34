import { Controller, Get, type INestApplication, Post } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { type LogPlaces, PlaceUnknownError } from '#platform/runtime/history/log-places.js';
import { PositionInterceptor, PositionsIn } from './position.interceptor.js';

/** Each event takes 100 bytes; the tree ends at byte 1,000. */
const places: LogPlaces = {
  sizeAt: (position) =>
    position > 1_000n
      ? Promise.reject(new PlaceUnknownError('behind'))
      : Promise.resolve(position / 100n),
  positionAt: (size) => Promise.resolve(size * 100n),
};

const facts = { position: '900', rows: [{ position: '700' }] };

@Controller()
class PlacesController {
  @Get('plain')
  plain(): object {
    return { success: true, position: '400', facts };
  }

  @Get('nested')
  @PositionsIn('events', 'evidence')
  nested(): object {
    const events = [{ position: '100', facts }, { evidence: { position: '200' } }];
    return { success: true, events, evidence: null };
  }

  @Get('foreign')
  foreign(): object {
    return { object: 'list', position: '400' };
  }

  @Get('late')
  late(): object {
    return { success: true, position: '1100' };
  }

  @Post('late')
  change(): object {
    return { success: true, position: '1100', changed: 1 };
  }
}

describe('positions in answers of a log whose positions have gaps', () => {
  let app: INestApplication;

  beforeAll(async () => {
    const module = await Test.createTestingModule({ controllers: [PlacesController] }).compile();
    app = module.createNestApplication(new FastifyAdapter());
    app.useGlobalInterceptors(new PositionInterceptor(places, app.get(Reflector)));
    await app.listen(0, '127.0.0.1');
  });

  afterAll(() => app.close());

  const bodyOf = async (path: string): Promise<unknown> =>
    (await request(await app.getUrl()).get(path)).body as unknown;

  it('are numbers of events, and other fields are left alone', async () => {
    expect(await bodyOf('/plain')).toEqual({ success: true, position: '4', facts });
    expect(await bodyOf('/foreign')).toEqual({ object: 'list', position: '400' });
  });

  it('are found in the fields that the route names', async () => {
    expect(await bodyOf('/nested')).toEqual({
      success: true,
      events: [{ position: '1', facts }, { evidence: { position: '2' } }],
      evidence: null,
    });
  });

  it('fail a read whose place has no number yet, and not a change that was made', async () => {
    expect(await bodyOf('/late')).toMatchObject({ statusCode: 500 });
    const { body } = await request(await app.getUrl()).post('/late');
    expect(body).toEqual({ success: true, position: null, changed: 1 });
  });
});
