import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { MongoClient } from 'mongodb';
import { freePorts, ServerProcess } from '../server-process.js';
import { type TestServer } from '../test-server.js';
import { ferretDbProgram } from './build.js';

const START_TIMEOUT_MS = 120_000;

/** A server of MongoDB's wire protocol, without any data. */
export const startMongoDb = async (): Promise<TestServer> => {
  const program = await ferretDbProgram();
  const folder = await mkdtemp(path.join(tmpdir(), 'quipu-mongodb-'));
  try {
    const data = path.join(folder, 'data');
    await mkdir(data);
    const [port = 0] = await freePorts(1);
    const url = `mongodb://127.0.0.1:${port}`;
    const server = new ServerProcess({
      name: 'the MongoDB server',
      folder,
      url,
      address: { host: '127.0.0.1', port },
      command: [program, `127.0.0.1:${port}`, data],
      startTimeoutMs: START_TIMEOUT_MS,
      answers: () => answers(url),
    });
    return await server.start();
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
};

/** Whether the server answers a command. */
const answers = async (url: string): Promise<boolean> => {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 500, socketTimeoutMS: 500 });
  try {
    await client.db('admin').command({ ping: 1 });
    return true;
  } catch {
    return false;
  } finally {
    await client.close();
  }
};
