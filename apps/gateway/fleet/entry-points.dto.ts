import { ApiProperty } from '@nestjs/swagger';
import { type FleetSettings } from '#areas/fleet/fleet.settings.js';

const url = (example: string, description: string) =>
  ({ type: String, nullable: true, example, description }) as const;

/** The bases of the API, as settings name them. */
export class EntryPointsDto {
  @ApiProperty(url('https://api.example.org/v1', 'The default, for any region.'))
  readonly global!: string | null;

  @ApiProperty(url('https://uk.api.example.org/v1', 'For the UK and Europe.'))
  readonly uk!: string | null;

  @ApiProperty(url('https://na.api.example.org/v1', 'For North America.'))
  readonly na!: string | null;

  @ApiProperty(url('https://apac.api.example.org/v1', 'For Asia-Pacific.'))
  readonly apac!: string | null;
}

/** An extra field of an answer; none where no base is configured. */
export const withEntryPoints = ({
  entryPoints,
}: Pick<FleetSettings, 'entryPoints'>): { readonly api_urls?: EntryPointsDto } =>
  entryPoints ? { api_urls: entryPoints } : {};
