/** Content types of data formats by file extension. Browsers do not know these formats on every operating system. */
const extensions: Readonly<Record<string, string>> = {
  'application/flatgeobuf': 'fgb',
  'application/geo+json': 'geojson',
  'application/geo+json-seq': 'geojsonl',
  'application/geopackage+sqlite3': 'gpkg',
  'application/gml+xml': 'gml',
  'application/gpx+xml': 'gpx',
  'application/gzip': 'gz',
  'application/json': 'json zarray zattrs zgroup zmetadata',
  'application/octet-stream': 'bin',
  'application/pdf': 'pdf',
  'application/sql': 'sql',
  'application/toml': 'toml',
  'application/vnd.apache.parquet': 'parquet',
  'application/vnd.google-earth.kml+xml': 'kml',
  'application/vnd.google-earth.kmz': 'kmz',
  'application/vnd.laszip': 'laz',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.pmtiles': 'pmtiles',
  'application/vnd.sqlite3': 'sqlite',
  'application/wmo-grib': 'grib',
  'application/wmo-grib2': 'grib2',
  'application/x-hdf5': 'h5 hdf5',
  'application/x-ipynb+json': 'ipynb',
  'application/x-ndjson': 'jsonl ndjson',
  'application/x-netcdf': 'nc',
  'application/x-tar': 'tar',
  'application/xml': 'xml',
  'application/zip': 'zip',
  'application/zstd': 'zst',
  'audio/mp4': 'm4a',
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
  'image/avif': 'avif',
  'image/gif': 'gif',
  'image/jpeg': 'jpeg jpg',
  'image/png': 'png',
  'image/svg+xml': 'svg',
  'image/tiff': 'tif tiff',
  'image/webp': 'webp',
  'text/css; charset=utf-8': 'css',
  'text/csv; charset=utf-8': 'csv',
  'text/html; charset=utf-8': 'htm html',
  'text/javascript; charset=utf-8': 'js',
  'text/markdown; charset=utf-8': 'markdown md',
  'text/plain; charset=utf-8': 'log prj txt',
  'text/tab-separated-values; charset=utf-8': 'tsv',
  'text/x-python; charset=utf-8': 'py',
  'text/yaml; charset=utf-8': 'cff yaml yml',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
};

const types = new Map(
  Object.entries(extensions).flatMap(([type, ends]) => ends.split(' ').map((end) => [end, type] as const)),
);

const plainNames = /(^|\/)(license|licence|readme|changelog|citation|authors|notice)$/i;

/** Returns the content type for a file's extension. Returns `application/octet-stream` if the extension is unknown. */
export function contentTypeOf(key: string): string {
  const end = /\.([a-z0-9]+)$/i.exec(key)?.[1]?.toLowerCase() ?? '';
  return types.get(end) ?? (plainNames.test(key) ? 'text/plain; charset=utf-8' : 'application/octet-stream');
}
