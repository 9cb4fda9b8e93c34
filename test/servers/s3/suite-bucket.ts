import { randomUUID } from 'node:crypto';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { S3_CREDENTIALS, startS3 } from './s3.server.js';

/**
 * A bucket for one suite, on the server of `TEST_S3_URL` or on a new server. A URL of the variable
 * is an endpoint; its credentials come from the AWS variables, or from the server of the tests.
 */
export class SuiteBucket {
  private constructor(
    private readonly bucket: string,
    private readonly endpoint: string,
    private readonly stopServer: () => Promise<void>,
  ) {}

  static async start(): Promise<SuiteBucket> {
    for (const [name, value] of Object.entries(S3_CREDENTIALS)) process.env[name] ??= value;
    const given = process.env['TEST_S3_URL'];
    if (given !== undefined) return SuiteBucket.#create(given, () => Promise.resolve());
    const server = await startS3();
    return SuiteBucket.#create(server.url, () => server.stop());
  }

  static async #create(endpoint: string, stop: () => Promise<void>): Promise<SuiteBucket> {
    const bucket = `quipu-test-${randomUUID()}`;
    const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true });
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
    client.destroy();
    return new SuiteBucket(bucket, endpoint, stop);
  }

  /** @returns a value of QUIPU_BLOBS without any blob */
  newUrl(): string {
    const options = `endpoint=${this.endpoint}&region=us-east-1&path-style=true`;
    return `s3://${this.bucket}/p-${randomUUID()}?${options}`;
  }

  stop(): Promise<void> {
    return this.stopServer();
  }
}
