import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';

const FOLDER = path.resolve(import.meta.dirname, '../oracles/stac');
const ITEM = 'https://schemas.stacspec.org/v1.1.0/item-spec/json-schema/item.json';
const COLLECTION =
  'https://schemas.stacspec.org/v1.1.0/collection-spec/json-schema/collection.json';

/** The official JSON Schemas of STAC 1.1.0, read without a network. */
const ajv = new Ajv({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addFormat('iri', /^[a-z][a-z0-9+.-]*:\S+$/i);
ajv.addFormat('iri-reference', /^\S+$/);
for (const name of readdirSync(FOLDER)) {
  const schema = JSON.parse(readFileSync(path.join(FOLDER, name), 'utf8')) as { $id: string };
  // The ids of two files are misspelt: references name the address of a file.
  ajv.addSchema({ ...schema, $id: new URL(name, schema.$id).href });
}

/** The faults of a document; empty for a valid one. */
const faultsOf = (id: string, document: unknown): readonly string[] => {
  const validate = ajv.getSchema(id);
  if (!validate) throw new Error(`no schema ${id}`);
  if (validate(document) === true) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
};

export const itemFaults = (item: unknown): readonly string[] => faultsOf(ITEM, item);
export const collectionFaults = (one: unknown): readonly string[] => faultsOf(COLLECTION, one);
