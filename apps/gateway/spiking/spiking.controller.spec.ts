import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { type CommandBus } from '@nestjs/cqrs';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Registry } from 'prom-client';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { type InferSpikesCommand } from '#areas/spiking/infer-spikes.handler.js';
import { type SpikingModels } from '#areas/spiking/spiking-models.js';
import { OpenRequests } from '../../operations/open-requests.js';
import { SpikingController } from './spiking.controller.js';

const settings = { gridGramsPerKwh: 480, runMsMax: 1_000, modelFolders: [] };
const caller = { accountId: '7', userId: 7, credential: { keyId: 'key-1' } } as unknown as Caller;
const request = { id: '01996f4e-0000-7000-8000-000000000001', headers: {} } as FastifyRequest;

describe('a run of a spiking network', () => {
  it('continues when its caller leaves, and does not begin when the caller has left', async () => {
    const seen: string[] = [];
    const raw = Object.assign(new EventEmitter(), { destroyed: false, writableFinished: false });
    const execute = ({ signal }: InferSpikesCommand) => {
      raw.emit('close');
      seen.push(signal.aborted ? 'aborted' : 'continues');
      return Promise.reject(new Error('no network here'));
    };
    const controller = new SpikingController(
      { execute } as unknown as CommandBus,
      {} as SpikingModels,
      new OpenRequests(new Registry()),
      settings,
      { now: () => 0 },
    );
    const infer = () =>
      controller.infer(
        { model: 'snnlib/hybrid-spiking-cnn', input_data: 'x' },
        caller,
        request,
        { raw } as unknown as FastifyReply,
        undefined,
      );
    await expect(infer()).rejects.toThrow('no network here');
    raw.destroyed = true;
    await expect(infer()).rejects.toMatchObject({ reason: 'client_gone' });
    expect(seen).toEqual(['continues']);
  });
});
