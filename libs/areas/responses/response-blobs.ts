import { Injectable } from '@nestjs/common';
import { type UserId } from '#events/vocabulary.js';
import { BlobError } from '#platform/blobs/blobs.errors.js';
import { type BlobRef, Blobs } from '#platform/blobs/blobs.port.js';

/** The object that was answered, as its interface has it. */
export interface ResponseRecord {
  readonly output: readonly object[];
  readonly status?: string;
  readonly error?: object | null;
}

/** The stored content of a response, as JSON: its input items and the answered object. */
export interface ResponseContent {
  readonly input: readonly object[];
  readonly response: ResponseRecord;
}

/** An event that names content. */
interface WithBlob {
  readonly responseId: string;
  readonly userId: UserId;
  readonly blob: string;
}

/** The content of responses, sealed with the key of their user. */
@Injectable()
export class ResponseBlobs {
  constructor(private readonly blobs: Blobs) {}

  /** Nothing holds it yet: a sweep keeps it for a day. */
  async put(
    userId: UserId,
    content: ResponseContent,
  ): Promise<{ readonly blob: string; readonly bytes: number }> {
    const json = Buffer.from(JSON.stringify(content));
    const bytes = json.byteLength;
    const owner = subjectOf(userId);
    const { address: blob } = await this.blobs.put(piecesOf(json), { owner, bytesMax: bytes });
    return { blob, bytes };
  }

  /** Null once the user was erased. */
  async read(named: WithBlob): Promise<ResponseContent | null> {
    try {
      const { content } = await this.blobs.open(blobOf(named));
      const pieces = await Array.fromAsync(content);
      return JSON.parse(Buffer.concat(pieces).toString()) as ResponseContent;
    } catch (error) {
      if (error instanceof BlobError && error.code === 'blob-erased') return null;
      throw error;
    }
  }

  async retain(named: WithBlob): Promise<void> {
    await this.blobs.retain(blobOf(named), holderOf(named));
  }

  /** For the saga. */
  async keep(named: WithBlob): Promise<void> {
    await this.blobs.retainOrReport(blobOf(named), holderOf(named));
  }

  async release(named: WithBlob): Promise<void> {
    await this.blobs.release(blobOf(named), holderOf(named));
  }
}

async function* piecesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  yield await Promise.resolve(bytes);
}

/** The subject of the key of a user, as the identity area erases it. */
const subjectOf = (userId: number): string => `user:${userId}`;

const blobOf = ({ userId, blob }: WithBlob): BlobRef => ({
  address: blob,
  owner: subjectOf(userId),
});

const holderOf = ({ responseId }: WithBlob): string => `response:${responseId}`;
