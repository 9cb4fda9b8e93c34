import {
  Client,
  type ClientDuplexStream,
  type ClientReadableStream,
  credentials,
} from '@grpc/grpc-js';

const STREAMS = '/event_store.client.streams.Streams';

const asItIs = (bytes: Buffer): Buffer => bytes;

/** A client without manners: it sends any bytes, and reads when it likes. */
export class RawClient {
  readonly #client: Client;

  constructor(port: number) {
    this.#client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  }

  read(request: Buffer): ClientReadableStream<Buffer> {
    return this.#client.makeServerStreamRequest(`${STREAMS}/Read`, asItIs, asItIs, request);
  }

  batchAppend(): ClientDuplexStream<Buffer, Buffer> {
    return this.#client.makeBidiStreamRequest(`${STREAMS}/BatchAppend`, asItIs, asItIs);
  }

  append(...messages: readonly Buffer[]): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const call = this.#client.makeClientStreamRequest<Buffer, Buffer>(
        `${STREAMS}/Append`,
        asItIs,
        asItIs,
        (error, answer) => {
          if (error !== null) reject(error);
          else if (answer !== undefined) resolve(answer);
        },
      );
      for (const message of messages) call.write(message);
      call.end();
    });
  }

  close(): void {
    this.#client.close();
  }
}
