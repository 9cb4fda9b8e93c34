import { canonicalJson } from '#platform/kernel/canonical-json.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { type ResidentModel } from '../resident-models.port.js';

/** A file of the content that the bill of materials lists. */
export interface ListedFile {
  readonly name: string;
  readonly sha256: string;
}

/** The namespace of the serial numbers: that of names in the standard of UUIDs. */
const NAMESPACE = '6ba7b812-9dad-11d1-80b4-00c04fd430c8';

const hashesOf = (sha256: string) => [{ alg: 'SHA-256', content: sha256 }];

/**
 * A bill of materials by CycloneDX 1.6. It has no time, and its serial number follows from its
 * list, so that the same content has the same bill.
 */
export const billOfMaterials = (model: ResidentModel, files: readonly ListedFile[]): string => {
  const { modelId, sha256, licence, architecture } = model;
  const known = licence.spdxId === null ? { name: 'unknown' } : { id: licence.spdxId };
  const bill = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'machine-learning-model',
        'bom-ref': `model:${modelId}`,
        name: modelId,
        version: sha256,
        hashes: hashesOf(sha256),
        licenses: [{ license: known }],
        modelCard: {
          modelParameters: {
            task: model.kind === 'chat' ? 'text-generation' : 'feature-extraction',
            ...(architecture !== null && { architectureFamily: architecture }),
          },
        },
      },
    },
    components: files.map((file) => ({
      type: 'file',
      'bom-ref': `file:${file.name}`,
      name: file.name,
      hashes: hashesOf(file.sha256),
    })),
    dependencies: [
      { ref: `model:${modelId}`, dependsOn: files.map(({ name }) => `file:${name}`) },
      ...files.map(({ name }) => ({ ref: `file:${name}` })),
    ],
  };
  const serialNumber = `urn:uuid:${derivedId(canonicalJson(bill), NAMESPACE)}`;
  return `${JSON.stringify({ ...bill, serialNumber }, null, 2)}\n`;
};
