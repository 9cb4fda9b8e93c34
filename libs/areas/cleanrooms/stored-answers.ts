import { Injectable } from '@nestjs/common';
import { type BlobRef, Blobs } from '#platform/blobs/blobs.port.js';
import { type RoomAnswer } from './room-answer.js';
import { Rooms } from './rooms.js';

/** The noisy answers of rooms, each a blob under a key of the answers of its room. */
@Injectable()
export class StoredAnswers {
  constructor(
    private readonly blobs: Blobs,
    private readonly rooms: Rooms,
  ) {}

  /** Durable when it resolves. @returns the address */
  async put(cleanroomId: string, answer: RoomAnswer): Promise<string> {
    const source = (async function* () {
      yield await Promise.resolve(Buffer.from(JSON.stringify(answer)));
    })();
    return (await this.blobs.put(source, { owner: ownerOf(cleanroomId) })).address;
  }

  async read(cleanroomId: string, address: string): Promise<RoomAnswer> {
    const pieces: Uint8Array[] = [];
    const { content } = await this.blobs.open({ address, owner: ownerOf(cleanroomId) });
    for await (const piece of content) pieces.push(piece);
    return JSON.parse(Buffer.concat(pieces).toString('utf8')) as RoomAnswer;
  }

  /** Keeps the answer of a spend. Repeating it changes nothing. */
  async retain(cleanroomId: string, spendId: string): Promise<void> {
    const { answers } = await this.rooms.stateOf(cleanroomId);
    const spent = answers.find((one) => one.spendId === spendId);
    if (!spent) return;
    const ref: BlobRef = { address: spent.answer, owner: ownerOf(cleanroomId) };
    await this.blobs.retainOrReport(ref, `answer:${spendId}`);
  }
}

const ownerOf = (cleanroomId: string): string => `cleanroom:${cleanroomId}/answers`;
