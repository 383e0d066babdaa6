import { formatOf } from '../../domain/data/file-formats.ts';

/**
 * The kinds of files that have their own icon. Each kind has its formats, and the drawing inside the icon's sheet of
 * paper.
 */
const kinds: readonly (readonly [formats: string, drawing: string])[] = [
  ['arrow avro csv dta feather geoparquet ods parquet sav tab tsv xls xlsx', 'M7.5 9.5H13v5H7.5zM7.5 12H13M10.2 9.5v5'],
  [
    'fgb geojson geojsonl geojsons geojsonseq geotiff gml gpkg gpx kml kmz pmtiles shp tif',
    'M10.2 15c-1.9-2.1-2.7-3.1-2.7-4.2a2.7 2.7 0 0 1 5.4 0c0 1.1-.8 2.1-2.7 4.2z',
  ],
  ['avif bmp gif jp2 jpg png svg webp', 'M7.3 14.5l2-3.2 1.5 2.1 1-1.1 1.4 2.2zM12.3 9.5v.1'],
  [
    'grb grib grib2 h5 hdf5 nc npy npz zarr',
    'M10.2 8.8l2.8 1.5v3L10.2 15l-2.8-1.7v-3zM7.4 10.3l2.8 1.5 2.8-1.5M10.2 11.8V15',
  ],
  ['doc docx epub html log md odt pdf rst rtf tex txt', 'M7.5 9.5H13M7.5 12H13M7.5 14.5H11'],
  [
    'c cff cpp h ini ipynb java jl js json jsonl m ndjson prj py r rb rs sh sql toml ts vrt xml yml',
    'M9 9.5l-1.8 2.4L9 14.3M11.5 9.5l1.8 2.4-1.8 2.4',
  ],
  ['7z bz2 gz rar tar tgz xz zip zst', 'M9.5 2.5v2M9.5 6v2M9.5 9.5v1.5M8.5 12.5h2v2.3h-2z'],
  ['flac m4a mkv mov mp3 mp4 ogg wav webm', 'M8.5 9.5v5l4.5-2.5z'],
];

const drawings: ReadonlyMap<string, string> = new Map(
  kinds.flatMap(([formats, drawing]) => formats.split(' ').map((format) => [format, drawing] as const)),
);

/** Shows the kind of a file by its name. Screen readers skip the icon, because the name beside it contains the kind. */
export function FileIcon({ fileKey }: { fileKey: string }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d={`M5 2.5h6.5l4 4v11H5zM11.5 2.5v4h4${drawings.get(formatOf(fileKey)) ?? ''}`} />
    </svg>
  );
}

export function FolderIcon() {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d="M2 5.5a1.5 1.5 0 0 1 1.5-1.5h3.6l2 2h7.4A1.5 1.5 0 0 1 18 7.5v7A1.5 1.5 0 0 1 16.5 16h-13A1.5 1.5 0 0 1 2 14.5z" />
    </svg>
  );
}
