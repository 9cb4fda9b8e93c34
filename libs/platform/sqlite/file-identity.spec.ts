import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DatabaseSync } from 'node:sqlite';
import {
  identifySqliteFile,
  markSqliteFile,
  type SqliteFileFormat,
  UnknownSqliteFileError,
} from './file-identity.js';

const FORMAT: SqliteFileFormat = { applicationId: 0x51544553, version: 3 };

describe('the identity of a SQLite file', () => {
  let database: DatabaseSync;

  beforeEach(() => {
    database = new DatabaseSync(':memory:');
  });

  afterEach(() => {
    database.close();
  });

  const identify = () => identifySqliteFile(database, 'test.db', FORMAT);

  it('is null for an empty file', () => {
    expect(identify()).toBeNull();
  });

  it('is its version once it is marked', () => {
    database.exec(`CREATE TABLE ours (a); ${markSqliteFile(FORMAT)}`);
    expect(identify()).toBe(3);
  });

  it.each([0, 2, 4])('is rejected with version %d', (version) => {
    database.exec(markSqliteFile({ ...FORMAT, version }));
    expect(identify).toThrow(UnknownSqliteFileError);
    expect(identify).toThrow(`test.db has version ${version}, this build reads 3`);
  });

  it.each([
    'CREATE TABLE theirs (a)',
    'PRAGMA application_id = 1',
    // A version alone: SQLite files of other programs seldom have an application id.
    'PRAGMA user_version = 3',
    'CREATE TABLE theirs (a); PRAGMA user_version = 3',
  ])('is rejected after %s', (theirs) => {
    database.exec(theirs);
    expect(identify).toThrow('test.db belongs to another program');
  });
});
