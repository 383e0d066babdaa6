import type { Files } from '../seed-data.ts';
import { type Cover, drawCover } from './cover.ts';

interface ExampleRepository {
  account_id: string;
  repository_id: string;
  meta: { title: string; description: string; tags: string; license: string };
  files: () => Files;
  /** The picture on the repository's card. If it is absent, the card shows a pattern. */
  cover?: Cover;
}

const { sin, cos, hypot, floor, PI } = Math;
const days = Array.from({ length: 365 }, (_, day) => new Date(Date.UTC(2025, 0, 1 + day)).toISOString().slice(0, 10));

/** Repositories of invented publishers. Formulas compute their data, as each README says. */
export const exampleRepositories: readonly ExampleRepository[] = [
  {
    account_id: 'tide-institute',
    repository_id: 'sea-temperature',
    meta: {
      title: 'Sea surface temperature',
      description: 'Daily temperatures of the sea surface at six coastal stations, with a table for each month.',
      tags: 'ocean, temperature, climate',
      license: 'CC-BY-4.0',
    },
    cover: {
      colors: [
        [8, 48, 82],
        [129, 205, 208],
      ],
      heightAt: (x, y) => (y + 1.1 * sin(x * 0.7) + 0.5 * sin(x * 1.9 + y)) / 9,
    },
    files: () => ({
      'stations.json': json(gauges.map(({ name, at }) => ({ name, longitude: at[0], latitude: at[1] }))),
      ...Object.fromEntries(
        Array.from({ length: 12 }, (_, month) => [
          `2025/${String(month + 1).padStart(2, '0')}.csv`,
          csv(
            ['date', ...gauges.map(({ name }) => name)],
            days.flatMap((day, at) =>
              Number(day.slice(5, 7)) === month + 1 ? [[day, ...gauges.map((_, n) => seaOf(at, n))]] : [],
            ),
          ),
        ]),
      ),
    }),
  },
  {
    account_id: 'tide-institute',
    repository_id: 'wave-buoys',
    meta: {
      title: 'Wave buoys',
      description: 'Heights and periods of waves from six buoys, with the positions of the buoys.',
      tags: 'ocean, waves',
      license: 'CC0-1.0',
    },
    files: () => ({
      'buoys.geojson': points(gauges),
      'waves.csv': csv(
        ['date', 'buoy', 'height_m', 'period_s'],
        days.flatMap((day, at) =>
          gauges.map(({ name }, n) => [
            day,
            name,
            rounded(2 + sin(at / 9 + n) + cos(at)),
            rounded(7 + 2 * sin(at / 5)),
          ]),
        ),
      ),
    }),
  },
  {
    account_id: 'polar-survey',
    repository_id: 'ice-thickness',
    meta: {
      title: 'Ice thickness',
      description: 'The thickness of sea ice on a grid of 180 by 360 cells, as a Zarr array that opens in the browser.',
      tags: 'ice, climate, ocean',
      license: 'CC-BY-4.0',
    },
    cover: {
      colors: [
        [38, 70, 112],
        [236, 245, 250],
      ],
      heightAt: (x, y) => hypot(x - 13, (y - 1) * 1.5) / 14 + 0.07 * sin(x * 2) * cos(y * 2.3),
    },
    files: () => ({
      'thickness.zarr/zarr.json': json({
        zarr_format: 3,
        node_type: 'array',
        shape: [180, 360],
        data_type: 'float32',
        chunk_grid: { name: 'regular', configuration: { chunk_shape: [180, 360] } },
        chunk_key_encoding: { name: 'default', configuration: { separator: '/' } },
        fill_value: 0,
        codecs: [{ name: 'bytes', configuration: { endian: 'little' } }],
        attributes: { units: 'm', long_name: 'sea ice thickness' },
        dimension_names: ['latitude', 'longitude'],
      }),
      'thickness.zarr/c/0/0': new Uint8Array(
        Float32Array.from({ length: 180 * 360 }, (_, cell) => iceAt(floor(cell / 360), cell % 360)).buffer,
      ),
    }),
  },
  {
    account_id: 'polar-survey',
    repository_id: 'snow-stations',
    meta: {
      title: 'Snow stations',
      description: 'Snow depth and air temperature of every day, from stations in the mountains.',
      tags: 'snow, weather, climate',
      license: 'CC-BY-4.0',
    },
    cover: {
      colors: [
        [72, 61, 110],
        [244, 226, 224],
      ],
      heightAt: (x, y) => (y - 1.6 * sin(x * 0.45) - 0.9 * hypot(sin(x * 1.3), 0.2)) / 7,
    },
    files: () => ({
      'stations.geojson': points(gauges.map(({ name, at: [x, y] }) => ({ name: `${name} Fell`, at: [x + 3, y + 2] }))),
      'snow.csv': csv(
        ['date', 'depth_cm', 'temperature_c'],
        days.map((day, at) => [day, rounded(60 + 60 * cos((at / 365) * 2 * PI)), rounded(-seaOf(at, 1) / 2)]),
      ),
    }),
  },
  {
    account_id: 'city-of-lindholm',
    repository_id: 'street-trees',
    meta: {
      title: 'Street trees',
      description: 'Every tree on the streets of Lindholm: species, year of planting, height, and position.',
      tags: 'cities, trees, nature',
      license: 'ODbL-1.0',
    },
    cover: {
      colors: [
        [22, 66, 43],
        [190, 219, 140],
      ],
      heightAt: (x, y) => 0.5 + 0.24 * (sin(x * 1.7) + sin(y * 2.1 + 0.6 * sin(x))),
    },
    files: () => ({ 'trees.geojson': points(trees), 'trees.csv': csv(['species', 'planted', 'height_m'], treeRows) }),
  },
  {
    account_id: 'city-of-lindholm',
    repository_id: 'air-quality',
    meta: {
      title: 'Air quality',
      description: 'Fine dust and nitrogen dioxide at three street corners, with one value for each day.',
      tags: 'cities, health, weather',
      license: 'CC0-1.0',
    },
    files: () => ({
      'air.csv': csv(
        ['date', 'pm25', 'no2'],
        days.map((day, at) => [day, rounded(11 + 5 * sin(at / 7)), rounded(24 + 9 * cos(at / 11))]),
      ),
      'limits.json': json({ pm25: 15, no2: 25, unit: 'µg/m³' }),
    }),
  },
  {
    account_id: 'city-of-lindholm',
    repository_id: 'bus-timetable',
    meta: {
      title: 'Bus timetable',
      description: 'Stops and departures of all bus lines, as text files for journey planners.',
      tags: 'cities, transport',
      license: 'MIT',
    },
    cover: {
      colors: [
        [120, 44, 20],
        [250, 204, 116],
      ],
      heightAt: (x, y) => (floor(x * 1.2) * 5 + floor(y * 1.2) * 3 + ((floor(x) * floor(y)) % 7)) / 12.5,
    },
    files: () => ({
      'stops.txt': csv(
        ['stop_id', 'stop_name'],
        gauges.map(({ name }, at) => [at + 1, `${name} Square`]),
      ),
      'departures.txt': csv(
        ['stop_id', 'line', 'time'],
        Array.from({ length: 600 }, (_, at) => [(at % 6) + 1, (at % 9) + 1, `${(at % 18) + 5}:${(at * 7) % 60}`]),
      ),
    }),
  },
];

/** Returns the files of an example repository, with its README and its picture. */
export function filesOf({ meta, files, cover }: ExampleRepository): Files {
  const data = files();
  const names = Object.keys(data).map((name) => `- \`${name}\``);
  const readme = `# ${meta.title}\n\n${meta.description}\n\nThese are example data. A formula computed them, so they measure nothing.\n\n## Files\n\n${names.join('\n')}\n`;
  return { 'README.md': readme, ...(cover === undefined ? {} : { 'cover.png': drawCover(cover) }), ...data };
}

interface Place {
  name: string;
  at: readonly [longitude: number, latitude: number];
}

const gauges: readonly Place[] = ['Alder', 'Birch', 'Cedar', 'Dune', 'Elm', 'Fjord'].map((name, at) => ({
  name,
  at: [4 + at * 1.3, 58 + 2 * sin(at)],
}));
const species = ['linden', 'maple', 'oak', 'plane', 'chestnut', 'birch'];
const treeRows = Array.from({ length: 400 }, (_, at) => [
  species[(at * 7) % species.length] ?? '',
  1950 + ((at * 13) % 75),
  rounded(4 + ((at * 17) % 160) / 10),
]);
const trees = treeRows.map(([name], at) => ({
  name: `${name}`,
  at: [10.2 + (at % 25) / 900 + sin(at) / 4000, 59.1 + floor(at / 25) / 1200] as const,
}));

function seaOf(day: number, station: number): number {
  return rounded(9 + station / 2 - 6 * cos(((day - 20) / 365) * 2 * PI) + 0.6 * sin(day * 0.9 + station));
}

function iceAt(row: number, column: number): number {
  const latitude = 90 - row;
  const edge = 70 + 5 * sin(column / 30) + 2 * cos(column / 9);
  return Math.max(0, (Math.abs(latitude) - edge) / 6 + 0.3 * sin(row / 5) * cos(column / 12));
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function csv(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return `${[header, ...rows].map((row) => row.join(',')).join('\n')}\n`;
}

function points(places: readonly Place[]): string {
  const features = places.map(({ name, at }) => ({
    type: 'Feature',
    properties: { name },
    geometry: { type: 'Point', coordinates: at },
  }));
  return JSON.stringify({ type: 'FeatureCollection', features });
}
