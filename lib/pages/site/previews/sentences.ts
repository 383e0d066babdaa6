/** Texts of the preview script. Pages from the server do not contain them. */
export const previewTexts = {
  rowsOf: (shown: string, all: string) =>
    all === '1' ? 'One row.' : shown === all ? `${all} rows.` : `The first ${shown} of ${all} rows.`,
  columnsOf: (shown: string, all: string) => `The first ${shown} of ${all} columns.`,
  unreadColumns: (columns: number) =>
    columns === 1 ? 'One column needs another request.' : `${columns} columns need further requests.`,
  unreadCompression: (name: string) =>
    `The preview does not support ${name} compression. Use one of the tools to read these columns.`,
  bytesRead: (read: string, whole: string, requests: number) =>
    `${read} of ${whole} read in ${requests === 1 ? 'one request' : `${requests} requests`}.`,
  features: (count: string) => (count === '1' ? 'One feature.' : `${count} features.`),
  firstFeatures: (count: string) => (count === '1' ? 'The first feature.' : `The first ${count} features.`),
  tableRows: (rows: number) => `The table shows the first ${rows}.`,
  skippedPoints: (count: string) =>
    count === '1'
      ? 'One point without two finite coordinates is not shown.'
      : `${count} points without two finite coordinates are not shown.`,
  mapOf: (features: string, bounds: string) =>
    `Map of ${features === '1' ? 'one feature' : `${features} features`}. West, south, east, north: ${bounds}.`,
  tilesOf: (zoom: number, bounds: string) => `Map of the tiles at zoom ${zoom}. West, south, east, north: ${bounds}.`,
  zoomShown: (shown: number, min: number, max: number) =>
    min === max ? `Tiles of zoom ${shown}.` : `Tiles of zoom ${shown}; the archive has zooms ${min} to ${max}.`,
  pointsCut: 'The map shows only some of the points.',
  pictureOf: (width: string, height: string) => `Overview of an image of ${width} × ${height} pixels`,
  wholeImage: 'The whole image.',
  overview: (width: string, height: string, fullWidth: string, fullHeight: string) =>
    `An overview of ${width} × ${height} pixels; the image has ${fullWidth} × ${fullHeight}.`,
  bandsOf: (shown: number, all: number) =>
    shown === 1 ? `The first of ${all} bands.` : `The first ${shown} of ${all} bands.`,
  layer: 'Layer',
  shapes: 'Shapes',
  featuresHere: 'Features in view',
  fields: 'Fields',
  kinds: { point: 'points', line: 'lines', area: 'areas' },
  readMore: 'Read more columns',
  refusals: {
    'not-of-this-format': (format) =>
      `This is not a ${format || 'file of this type'}${format && ' file'}. Download it to inspect it.`,
    damaged: () => 'The file is damaged, so there is no preview. Ask its publisher.',
    'outside-the-file': () => 'The file is incomplete: it refers to data beyond its end. Ask its publisher.',
    'too-much-to-read': () => 'The preview needs too much of this file. Use one of the tools, or download it.',
    'too-large-inside': () => 'The content is too large for a preview. Use one of the tools.',
    compression: (name) => `The preview does not support ${name} compression. Use one of the tools.`,
    tiles: () => 'The preview does not support the tile type of this archive.',
    samples: (bits) => `The preview does not support this kind of ${bits}-bit samples.`,
    'no-overview': (size) =>
      `This image of ${size} pixels has no overview. Its publisher can convert it to a Cloud-optimized GeoTIFF.`,
    empty: () => 'This file has no content to show.',
    changed: () => 'The file changed during the preview. Reload this page.',
    unreachable: () => 'The file is not available. Try again in a moment.',
    'too-slow': () => 'The preview took too long and was stopped. Use one of the tools.',
  } satisfies Record<string, (detail: string) => string>,
  facts: {
    attribution: 'Attribution',
    bands: 'Bands',
    bounds: 'West, south, east, north',
    columns: 'Columns',
    compression: 'Compression',
    coordinates: 'Coordinates',
    description: 'Description',
    name: 'Name',
    noData: 'No data',
    pixelSize: 'Size of a pixel',
    rowGroups: 'Row groups',
    rows: 'Rows',
    size: 'Pixels',
    tiles: 'Tiles',
    writtenBy: 'Written by',
    zooms: 'Zooms',
  },
} as const;
