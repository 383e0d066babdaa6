/** Texts about previews on pages from the server. */
export const previewPageTexts = {
  open: 'Show the preview',
  openText: 'Show the text of the file',
  openAlone: 'Open full screen',
  toFile: 'To the page of the file',
  reading: 'Reading the file…',
  needsScripts: 'This preview is made in your browser and needs scripts.',
  zarr: {
    format: (format: string) => `Zarr ${format}.`,
    arrays: (count: number, shown: number) =>
      count === 0
        ? ''
        : count === shown
          ? `${count === 1 ? 'One array' : `${count} arrays`}.`
          : `The first ${shown} of ${count} arrays.`,
    attributes: 'Attributes',
    columns: {
      path: 'Array',
      dimensions: 'Dimensions',
      shape: 'Shape',
      chunks: 'Chunks',
      type: 'Type',
      codecs: 'Codecs',
      fill: 'Fill value',
    },
  },
} as const;

/** Texts of the preview script. Pages from the server do not contain them. */
export const previewTexts = {
  rowsOf: (shown: string, all: string) =>
    all === '1' ? 'One row.' : shown === all ? `${all} rows.` : `The first ${shown} of ${all} rows.`,
  columnsOf: (shown: string, all: string) => `The first ${shown} of ${all} columns.`,
  unreadColumns: (columns: number) =>
    columns === 1
      ? 'One column lies too far from the others to be read at once.'
      : `${columns} columns lie too far apart to be read at once.`,
  unreadCompression: (name: string) =>
    `Columns compressed with ${name} are not shown here. Read them with one of the tools.`,
  bytesRead: (read: string, whole: string, requests: number) =>
    `${read} of ${whole} read in ${requests === 1 ? 'one request' : `${requests} requests`}.`,
  features: (count: string) => (count === '1' ? 'One feature.' : `${count} features.`),
  firstFeatures: (count: string) => (count === '1' ? 'The first feature.' : `The first ${count} features.`),
  tableRows: (rows: number) => `The table shows the first ${rows}.`,
  skippedPoints: (count: string) =>
    count === '1'
      ? 'One point is left out: it has no two finite coordinates.'
      : `${count} points are left out: they have no two finite coordinates.`,
  mapOf: (features: string, bounds: string) =>
    `Map of ${features === '1' ? 'one feature' : `${features} features`}. West, south, east, north: ${bounds}.`,
  tilesOf: (zoom: number, bounds: string) => `Map of the tiles at zoom ${zoom}. West, south, east, north: ${bounds}.`,
  zoomShown: (shown: number, min: number, max: number) =>
    min === max ? `Tiles of zoom ${shown}.` : `Tiles of zoom ${shown}; the archive has zooms ${min} to ${max}.`,
  pointsCut: 'Only a part of the points is drawn.',
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
      `This file is not ${format || 'what its name says'}. Download it to see what it is.`,
    damaged: () => 'This file cannot be read: it is damaged, or it says of itself what is not true.',
    'outside-the-file': () => 'This file points to places behind its own end. It may be cut off; ask its publisher.',
    'too-much-to-read': () =>
      'A preview would have to read too much of this file. Read it with one of the tools, or download it.',
    'too-large-inside': () =>
      'What this file holds is too large to be unpacked in a browser. Read it with one of the tools.',
    compression: (name) =>
      `This file is compressed with ${name}, which is not shown here. Read it with one of the tools.`,
    tiles: () => 'The tiles of this archive are of a kind that is not shown here.',
    samples: (bits) => `The pixels of this image have samples of ${bits} bits of a kind that is not shown here.`,
    'no-overview': (size) =>
      `This image of ${size} pixels has no overview. Its publisher can add one by making it a Cloud-optimized GeoTIFF.`,
    empty: () => 'There is nothing in this file to show.',
    changed: () => 'The file was changed while it was read. Load this page again.',
    unreachable: () => 'The file cannot be read right now. Try again in a moment.',
    'too-slow': () => 'Reading this file took too long, so it was stopped. Read it with one of the tools.',
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
