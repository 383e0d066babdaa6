import { createHash } from 'node:crypto';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { type SigningCredentials, signRequest } from '../sigv4/sign.ts';
import { seedNames } from './seed.ts';
import { readBorders } from './seed-files/borders.ts';
import { countriesGeotiff } from './seed-files/geotiff.ts';
import { countriesPicture } from './seed-files/map-picture.ts';
import { countriesPmtiles } from './seed-files/pmtiles.ts';
import { exchangeSeedKey } from './seed-key.ts';

interface SeedFile {
  key: string;
  type: string;
  bytes: Uint8Array;
}

/**
 * Uploads a small real data set to the seeded open repository of world borders through the data proxy, as a publisher
 * would. Every start with the same data writes the same files again.
 */
export async function publishSeedData({ dataUrl, key }: { dataUrl: string; key: string }): Promise<void> {
  const credentials = await signIn(dataUrl, key);
  for (const { key: name, type, bytes } of await worldBorders()) {
    const rawPath = `/${seedNames.organization_id}/${seedNames.data_repository_id}/${name}`;
    const headers = signRequest(
      { method: 'PUT', rawPath, rawQuery: '', headers: { host: new URL(dataUrl).host, 'content-type': type } },
      credentials,
      {
        now: Date.now(),
        region: 'us-east-1',
        service: 's3',
        payloadHash: createHash('sha256').update(bytes).digest('hex'),
      },
    );
    const answer = await fetch(dataUrl + rawPath, { method: 'PUT', headers, body: Buffer.from(bytes) });
    if (!answer.ok) throw new Error(`PUT ${rawPath} answered ${answer.status}: ${await answer.text()}`);
  }
}

async function signIn(dataUrl: string, key: string): Promise<SigningCredentials> {
  const answer = await exchangeSeedKey(dataUrl, key, 'FullAccess');
  const text = (name: string) => new RegExp(`<${name}>([^<]+)<`).exec(answer)?.[1] ?? '';
  return {
    access_key_id: text('AccessKeyId'),
    secret_access_key: text('SecretAccessKey'),
    session_token: text('SessionToken'),
  };
}

/** Returns the borders of the world's countries in the formats that the documentation reads. */
async function worldBorders(): Promise<SeedFile[]> {
  const { collection, countries } = await readBorders();
  const rows = countries.map(({ code, name, polygons }) => {
    const points = polygons.flat(2);
    const round = (degrees: number) => Math.round(degrees * 1000) / 1000;
    const [longitudes, latitudes] = [points.map(([x]) => x), points.map(([, y]) => y)];
    return {
      iso_numeric: code,
      name,
      west: round(Math.min(...longitudes)),
      south: round(Math.min(...latitudes)),
      east: round(Math.max(...longitudes)),
      north: round(Math.max(...latitudes)),
      border_points: points.length,
    };
  });
  const columns = Object.keys(rows[0] ?? {}) as (keyof (typeof rows)[number])[];
  const csv = [columns.join(','), ...rows.map((row) => columns.map((column) => csvCell(row[column])).join(','))];
  const text = (key: string, type: string, content: string) => ({
    key,
    type,
    bytes: new TextEncoder().encode(content),
  });
  return [
    text('README.md', 'text/markdown; charset=utf-8', readme(rows.length)),
    text('countries.csv', 'text/csv; charset=utf-8', `${csv.join('\n')}\n`),
    text('countries.geojson', 'application/geo+json', JSON.stringify(collection)),
    {
      key: 'countries.parquet',
      type: 'application/vnd.apache.parquet',
      bytes: new Uint8Array(
        parquetWriteBuffer({
          columnData: columns.map((name) => ({ name, data: rows.map((row) => row[name]) })),
        }),
      ),
    },
    { key: 'countries.tif', type: 'image/tiff', bytes: countriesGeotiff(countries) },
    { key: 'countries.pmtiles', type: 'application/vnd.pmtiles', bytes: countriesPmtiles(countries) },
    { key: 'map.png', type: 'image/png', bytes: countriesPicture(countries) },
  ];
}

function csvCell(value: string | number): string {
  return /[",\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value);
}

function readme(countries: number): string {
  return `# World borders

The borders of ${countries} countries at a scale of 1:110 million: small enough to look at in a browser, and in the forms that
common tools read.

![The countries of the world on a flat map](map.png)

## Files

| file | what it holds |
|---|---|
| \`countries.csv\` | one row a country: ISO 3166-1 numeric code, name, bounding box in degrees, number of border points |
| \`countries.parquet\` | the same as columns |
| \`countries.geojson\` | the borders as polygons |
| \`countries.tif\` | a raster of one pixel a degree: the numeric code of the country there |
| \`countries.pmtiles\` | the borders as one vector tile |
| \`map.png\` | the picture above |

Longitudes and latitudes are degrees of WGS 84. The three files of shapes hold the same borders; the two tables hold the same
rows.

## Where it comes from

Made from [Natural Earth](https://www.naturalearthdata.com) (public domain), as the npm package
[world-atlas](https://www.npmjs.com/package/world-atlas) (ISC licence) holds it. What is made of it here is [CC0](https://spdx.org/licenses/CC0-1.0): use it for anything.
`;
}
