export interface ReadingLimits {
  requests: number;
  bytes: number;
}

export interface ScriptedKind {
  names: RegExp;
  /** Amount of the file that its preview reads. */
  limits: ReadingLimits;
  /** Amount after the reader asks for more. */
  moreLimits?: ReadingLimits;
}

const megabyte = 1_000_000;

/**
 * Formats that a script in the browser shows from ranges of the file. Each format is one row here and one file in
 * site/previews/formats. The compiler requires an entry in site/preview-worker.
 */
export const scriptedKinds = {
  parquet: {
    names: /\.(parquet|geoparquet)$/i,
    limits: { requests: 4, bytes: megabyte },
    moreLimits: { requests: 32, bytes: 16 * megabyte },
  },
  geojson: { names: /\.(geojson|geojsonl|geojsons|geojsonseq)$/i, limits: { requests: 1, bytes: 4 * megabyte } },
  pmtiles: { names: /\.pmtiles$/i, limits: { requests: 40, bytes: 8 * megabyte } },
  geotiff: { names: /\.(tif|tiff|geotiff)$/i, limits: { requests: 60, bytes: 16 * megabyte } },
} as const satisfies Readonly<Record<string, ScriptedKind>>;

export type ScriptedFormat = keyof typeof scriptedKinds;

export function scriptedFormatOf(key: string): ScriptedFormat | undefined {
  return (Object.keys(scriptedKinds) as ScriptedFormat[]).find((format) => scriptedKinds[format].names.test(key));
}

/** The settings that a preview page passes to its script. */
export interface PreviewConfiguration {
  format: ScriptedFormat;
  /** The URL of the file's data. */
  url: string;
  bytes: number;
  /** The URL of the worker script that reads the file. */
  worker_url: string;
}
