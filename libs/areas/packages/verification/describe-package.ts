import { type PackageReport } from './verify-package.js';

/** A verified package, as fields for scripts and as text for people. */
export const describePackage = ({
  manifest,
  licence,
  rootFingerprint,
  log,
  notProved,
}: PackageReport): {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly text: string;
} => {
  const { package_uuid: uuid, package_name: name, model, archive, members } = manifest;
  return {
    fields: {
      package_uuid: uuid,
      package_name: name,
      model: model.id,
      archive_sha256: archive.sha256,
      files: members.length,
      created_at: manifest.created_at,
      hardware_architecture: manifest.hardware_architecture,
      licence_id: licence.id,
      licence_not_before: licence.notBefore,
      licence_expires_at: licence.expiresAt,
      root_sha256: rootFingerprint,
      log,
      not_proved: notProved,
    },
    text: [
      `The package ${name} (${uuid}) is verified: ${members.length} files of ${model.id}.`,
      `archive  sha256:${archive.sha256}`,
      `licence  ${licence.id}, from ${licence.notBefore} to ${licence.expiresAt}`,
      `log      ${log.origin}, event ${log.index} of ${log.size}`,
      `root     ${rootFingerprint}`,
      ...notProved.map((one) => `Not proved: ${one}.`),
    ].join('\n'),
  };
};
