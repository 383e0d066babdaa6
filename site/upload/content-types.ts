/**
 * Content types of data formats by file extension. Browsers know few of them and otherwise use the type from the
 * operating system.
 */
const types: Readonly<Record<string, string>> = {
  avif: 'image/avif',
  bin: 'application/octet-stream',
  cff: 'text/yaml; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  css: 'text/css; charset=utf-8',
  fgb: 'application/flatgeobuf',
  geojson: 'application/geo+json',
  geojsonl: 'application/geo+json-seq',
  gif: 'image/gif',
  gml: 'application/gml+xml',
  gpkg: 'application/geopackage+sqlite3',
  gpx: 'application/gpx+xml',
  grib: 'application/wmo-grib',
  grib2: 'application/wmo-grib2',
  gz: 'application/gzip',
  h5: 'application/x-hdf5',
  hdf5: 'application/x-hdf5',
  htm: 'text/html; charset=utf-8',
  html: 'text/html; charset=utf-8',
  ipynb: 'application/x-ipynb+json',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  jsonl: 'application/x-ndjson',
  kml: 'application/vnd.google-earth.kml+xml',
  kmz: 'application/vnd.google-earth.kmz',
  laz: 'application/vnd.laszip',
  log: 'text/plain; charset=utf-8',
  m4a: 'audio/mp4',
  markdown: 'text/markdown; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  nc: 'application/x-netcdf',
  ndjson: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
  pdf: 'application/pdf',
  pmtiles: 'application/vnd.pmtiles',
  png: 'image/png',
  prj: 'text/plain; charset=utf-8',
  py: 'text/x-python; charset=utf-8',
  sql: 'application/sql',
  sqlite: 'application/vnd.sqlite3',
  svg: 'image/svg+xml',
  tar: 'application/x-tar',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  toml: 'application/toml',
  tsv: 'text/tab-separated-values; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  wav: 'audio/wav',
  webm: 'video/webm',
  webp: 'image/webp',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xml: 'application/xml',
  yaml: 'text/yaml; charset=utf-8',
  yml: 'text/yaml; charset=utf-8',
  zarray: 'application/json',
  zattrs: 'application/json',
  zgroup: 'application/json',
  zip: 'application/zip',
  zmetadata: 'application/json',
  zst: 'application/zstd',
};

const plainNames = /(^|\/)(license|licence|readme|changelog|citation|authors|notice)$/i;

/** Returns the content type of a file; `application/octet-stream` if unknown. */
export function contentTypeOf(key: string): string {
  const end = /\.([a-z0-9]+)$/i.exec(key)?.[1]?.toLowerCase();
  if (end !== undefined && Object.hasOwn(types, end)) return types[end] ?? '';
  return plainNames.test(key) ? 'text/plain; charset=utf-8' : 'application/octet-stream';
}
