import { z } from 'zod';
import { type SettingsFile } from './settings-file.js';

const SERVERS_MAX = 16;
const MODELS_MAX = 64;
const ModelName = z.string().min(1).max(256);

/** A model of a server. */
export const UpstreamModel = z.strictObject({
  /** The name by which callers ask for it. */
  id: ModelName,
  /** The name that the server has for it; left out: the same. */
  upstream_id: ModelName.exactOptional(),
});
export type UpstreamModel = z.infer<typeof UpstreamModel>;

/** The models of a server that do one thing. */
export const modelsOf = <Model extends z.ZodType<UpstreamModel>>(model: Model) =>
  z.array(model).max(MODELS_MAX).default([]);

/** The fields of every server, whatever it computes. */
export const UpstreamServer = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/),
  /** With the version of an OpenAI interface in it: `https://api.openai.com/v1`. */
  base_url: z.url({ protocol: /^https?$/ }),
  /** The environment variable that holds the key; left out: it needs none. */
  api_key_env: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/)
    .exactOptional(),
});
export type UpstreamServer = z.infer<typeof UpstreamServer>;

type WithModels<List extends string> = Readonly<Record<List, readonly UpstreamModel[]>>;

/**
 * The servers of a file.
 * @param lists the fields that list models: of each, a name has one server
 * @throws SettingsError that names the field, or the variable of a key that is not set
 */
export const readUpstreams = async <
  List extends string,
  Server extends UpstreamServer & WithModels<List>,
>(
  file: SettingsFile,
  schema: z.ZodType<Server>,
  lists: readonly List[],
): Promise<readonly Server[]> => {
  const content = z.strictObject({ servers: z.array(schema).max(SERVERS_MAX) });
  const { servers } = await file.read(content);
  const demandUnique = (field: string, names: readonly string[]): void => {
    const twin = names.find((name, index) => names.indexOf(name) !== index);
    if (twin !== undefined) file.reject(`${field}: ${twin} is listed twice`);
  };
  demandUnique(
    'name',
    servers.map(({ name }) => name),
  );
  for (const list of lists) {
    demandUnique(
      list,
      servers.flatMap((server) => server[list].map(({ id }) => id)),
    );
  }
  for (const { name, api_key_env: variable } of servers) {
    if (variable === undefined || process.env[variable]) continue;
    file.reject(`the server ${name} needs the variable ${variable}, which is not set`);
  }
  return servers;
};

/** The address of a path below the base of a server. */
export const addressOf = ({ base_url: base }: UpstreamServer, path: string): string =>
  `${base.replace(/\/$/, '')}${path}`;

/** The header with the key of a server, which may have changed since the start. */
export const authorizationOf = ({
  api_key_env: variable,
}: UpstreamServer): { readonly authorization?: string } => {
  const key = variable === undefined ? undefined : process.env[variable];
  return key === undefined ? {} : { authorization: `Bearer ${key}` };
};
