/**
 * Builds `@quipu/client`, from the root of the repository: `npm run client`. The types of the
 * routes are generated from the OpenAPI document of this build, so they cannot differ from it.
 */
import 'reflect-metadata';
import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import openapiTypes, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { servedDocument } from '../openapi/served-document.js';

const PACKAGE = 'packages/client';
const BUILT = path.join(PACKAGE, 'dist');
const COMPILER = path.resolve('node_modules/typescript-native/bin/tsc');

await mkdir(BUILT, { recursive: true });
const types = await openapiTypes((await servedDocument()) as unknown as OpenAPI3);
await writeFile(path.join(BUILT, 'api.d.ts'), astToString(types));

const config = path.join(PACKAGE, 'tsconfig.build.json');
const { status } = spawnSync(process.execPath, [COMPILER, '-p', config], { stdio: 'inherit' });
if (status !== 0) throw new Error(`the compiler ended with ${status ?? 'a signal'}`);
console.log(`the client is in ${BUILT}`);
