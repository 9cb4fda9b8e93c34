export interface Station {
  readonly station_id: number;
  readonly name: string;
  readonly latitude_deg: number;
  readonly longitude_deg: number;
  readonly height_m: number;
  readonly min_elevation_deg: number;
  readonly registered_at: string | null;
}

export interface Satellite {
  readonly satellite_id: number;
  readonly name: string;
  readonly element_epoch: string;
  readonly source: string;
  readonly imported_at: string | null;
}

/** A place of a satellite in the sky of a station. */
export interface SkyPlace {
  readonly at: string;
  readonly azimuth_deg: number;
  readonly elevation_deg: number;
}

export interface Pass {
  /** Null: the pass began before, or ends after, the times that were asked for. */
  readonly aos: SkyPlace | null;
  readonly culmination: SkyPlace;
  readonly los: SkyPlace | null;
  readonly max_elevation_deg: number;
  readonly duration_sec: number;
}
