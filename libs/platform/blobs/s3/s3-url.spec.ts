import { describe, expect, it } from '@jest/globals';
import { readS3Url } from './s3-url.js';

describe('the URL of S3', () => {
  it.each([
    ['s3://quipu', { bucket: 'quipu', prefix: '', pathStyle: false }],
    ['s3://quipu/', { bucket: 'quipu', prefix: '', pathStyle: false }],
    ['s3://quipu/a/b_c', { bucket: 'quipu', prefix: 'a/b_c/', pathStyle: false }],
    ['s3://quipu/a/?region=eu-west-1', { prefix: 'a/', region: 'eu-west-1' }],
    [
      's3://quipu?endpoint=http://127.0.0.1:9000&path-style=true',
      { endpoint: 'http://127.0.0.1:9000', pathStyle: true },
    ],
    ['s3://quipu?endpoint=https%3A%2F%2Fs3.example', { endpoint: 'https://s3.example' }],
    ['s3://quipu?path-style=false', { pathStyle: false }],
  ])('%s', (url, expected) => {
    expect(readS3Url(url)).toMatchObject(expected);
  });

  it.each([
    ['https://quipu', 's3://bucket/prefix'],
    ['s3://', 'a bucket has'],
    ['s3://Quipu', 'a bucket has'],
    ['s3://ab', 'a bucket has'],
    ['s3://quipu/a//b', 'a prefix has'],
    ['s3://quipu/ä', 'a prefix has'],
    ['s3://quipu?secret=1', 'no option secret'],
    ['s3://quipu?endpoint=quipu', 'endpoint is'],
    ['s3://quipu?endpoint=ftp://quipu', 'endpoint is'],
    ['s3://quipu?endpoint=http://quipu/path', 'endpoint is'],
    ['s3://quipu?region=EU', 'region is'],
    ['s3://quipu?path-style=yes', 'path-style is'],
  ])('is rejected: %s', (url, reason) => {
    expect(() => readS3Url(url)).toThrow(reason);
  });

  it('with credentials is rejected without repeating them', () => {
    const url = 's3://quipu?endpoint=http://ada:hunter2@s3.example';
    expect(() => readS3Url(url)).toThrow(/^invalid-options: .*credentials belong/);
    expect(() => readS3Url(url)).toThrow(/^(?!.*hunter2)/);
  });
});
