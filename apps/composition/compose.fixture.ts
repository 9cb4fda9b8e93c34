import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

const ROOT = path.resolve(import.meta.dirname, '../..');
export const DOCKER = path.join(ROOT, 'docker');

const Volume = z.string().transform((text) => {
  const [source = '', target = '', mode = 'rw'] = text.split(':');
  return { source, target, isNamed: !/^[./~]/.test(source), isReadOnly: mode === 'ro' };
});

const Service = z.looseObject({
  image: z.string(),
  build: z.object({ context: z.string(), dockerfile: z.string() }).optional(),
  user: z.string().default(''),
  init: z.boolean().default(false),
  read_only: z.boolean().default(false),
  cap_drop: z.array(z.string()).default([]),
  restart: z.enum(['unless-stopped', 'no']),
  stop_grace_period: z
    .templateLiteral([z.int(), 's'])
    .transform((text) => Number.parseInt(text, 10))
    .default(10),
  environment: z.record(z.string(), z.string()).default({}),
  env_file: z.array(z.object({ path: z.string(), required: z.boolean() })).default([]),
  volumes: z.array(Volume).default([]),
  /** The short form: Compose ignores the owner and the mode of the long form. */
  secrets: z.array(z.string()).default([]),
  ports: z.array(z.string()).default([]),
  networks: z.array(z.string()).default([]),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  healthcheck: z
    .object({ test: z.array(z.string()).default([]), disable: z.boolean().default(false) })
    .optional(),
  deploy: z.object({
    replicas: z.int().default(1),
    resources: z.object({ limits: z.object({ cpus: z.string(), memory: z.string() }) }),
  }),
});
export type Service = z.infer<typeof Service>;

const Deployment = z.looseObject({
  name: z.string(),
  services: z.record(z.string(), Service),
  networks: z.record(z.string(), z.object({ internal: z.boolean().default(false) })).default({}),
  volumes: z.record(z.string(), z.object({})).default({}),
  secrets: z.record(z.string(), z.object({ file: z.string() })).default({}),
});
export type Deployment = z.infer<typeof Deployment>;

/** Texts of `docker/`, by name. */
export type Files = Readonly<Record<string, string>>;

export const readFiles = (...names: readonly string[]): Files =>
  Object.fromEntries(names.map((name) => [name, readFileSync(path.join(DOCKER, name), 'utf8')]));

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

const isMap = (value: Json | undefined): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Lists that a later file replaces. Other lists are concatenated. */
const REPLACED = ['command', 'entrypoint', 'test'];

const targetOf = (volume: Json): Json =>
  typeof volume === 'string' ? (volume.split(':')[1] ?? '') : volume;

const listOf = (key: string, base: readonly Json[], later: readonly Json[]): readonly Json[] => {
  if (REPLACED.includes(key)) return later;
  if (key !== 'volumes') return [...base, ...later];
  const targets = later.map(targetOf);
  return [...base.filter((volume) => !targets.includes(targetOf(volume))), ...later];
};

/** Merges two files as Compose does, for the features that these files use. */
const merged = (base: Json | undefined, later: Json, key = ''): Json => {
  if (Array.isArray(base) && Array.isArray(later)) return listOf(key, base, later);
  if (!isMap(base) || !isMap(later)) return later;
  const entries = Object.entries(later).map(([name, value]) => [
    name,
    merged(base[name], value, name),
  ]);
  return { ...base, ...(Object.fromEntries(entries) as Record<string, Json>) };
};

const VARIABLE = /\$\$|\$\{([A-Z_]+)(?::([-?])([^}]*))?\}/g;

/** The variables of a file, each with its behaviour when unset: `-` a default, `?` an error. */
export const variablesIn = (text: string): ReadonlyMap<string, string> =>
  new Map(
    [...text.matchAll(VARIABLE)].flatMap(([, name, without = '']) =>
      name === undefined ? [] : [[name, without] as const],
    ),
  );

const interpolated = (value: Json, variables: Readonly<Record<string, string>>): Json => {
  if (typeof value === 'string') {
    return value.replace(VARIABLE, (text, name?: string, without?: string, word?: string) => {
      if (name === undefined) return text.slice(1);
      return variables[name] ?? (without === '-' ? (word ?? '') : `unset-${name}`);
    });
  }
  if (Array.isArray(value)) return value.map((one: Json) => interpolated(one, variables));
  if (!isMap(value)) return value;
  const entries = Object.entries(value).map(([key, one]) => [key, interpolated(one, variables)]);
  return Object.fromEntries(entries) as Json;
};

const parsed = (files: Files, name: string): Json =>
  parse(files[name] ?? '', { merge: true }) as Json;

const Extended = z.looseObject({ extends: z.object({ file: z.string(), service: z.string() }) });

/** A service that `extends` one of another file: that one, with the keys of this one over it. */
const extended = (files: Files, service: Json): Json => {
  const { success, data } = Extended.safeParse(service);
  if (!success) return service;
  const { extends: from, ...own } = data;
  const base = (parsed(files, from.file) as Written).services[from.service];
  return merged(base, own as Json);
};

interface Written {
  readonly [key: string]: Json;
  readonly services: { readonly [name: string]: Json };
}

const writtenOf = (files: Files, name: string): Json => {
  const written = parsed(files, name) as Written;
  const services = Object.entries(written.services).map(([key, one]) => [
    key,
    extended(files, one),
  ]);
  return { ...written, services: Object.fromEntries(services) as Written['services'] };
};

const mergedFiles = (files: Files, names: readonly string[]): Json =>
  names.map((name) => writtenOf(files, name)).reduce((base, later) => merged(base, later));

/** The deployment that Compose would start from these files, merged in order. */
export const deploymentOf = (
  files: Files,
  names: readonly string[],
  variables: Readonly<Record<string, string>>,
): Deployment => Deployment.parse(interpolated(mergedFiles(files, names), variables));

/** The same without interpolation of `${…}`. */
export const writtenDeploymentOf = (files: Files, names: readonly string[]): Deployment =>
  Deployment.parse(mergedFiles(files, names));

/** Whether the repository has a file that a deployment names. Operators supply secrets. */
export const isThere = (file: string): boolean => existsSync(path.resolve(DOCKER, file));
