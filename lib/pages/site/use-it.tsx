import { Fragment } from 'preact';
import { type RepositoryPath, repositorySegment } from '../../domain/data/open-data.ts';
import { listingInPython, localName, quoted, shell, shellName, shellUrl } from './commands.ts';
import { duckDbSecret, isPlainPath, sqlText } from './duckdb.ts';
import { dataUrl } from './links.ts';
import { type Commands, notebookUrl } from './notebook.ts';
import { zarrRoots } from './previews/scripted.ts';

export interface Recipe extends Commands {
  tool: string;
}

interface RecipeOptions {
  keysInFolder?: readonly string[];
  hasParquetBelow?: boolean;
  isIcechunk?: boolean;
  separator?: string | undefined;
}

/** Returns the commands that a page shows: those for open data, or those with credentials. */
export type RecipesFor = (
  dataProxyUrl: string,
  repository: RepositoryPath,
  key: string,
  options?: RecipeOptions,
) => Recipe[];

/**
 * Returns commands that read a repository, a folder, or one file. Readers can paste them without changes. For a folder,
 * a tool that reads single files gets the first file that it supports.
 *
 * @param hasParquetBelow true if folders below the folder contain Parquet files
 * @param isIcechunk true if the folder is an Icechunk store
 * @param separator the separator of a `.csv` file; if undefined, the tools detect it
 */
export function recipesFor(
  dataProxyUrl: string,
  repository: RepositoryPath,
  key: string,
  { keysInFolder = [], hasParquetBelow = false, isIcechunk = false, separator }: RecipeOptions = {},
): Recipe[] {
  const { account_id } = repository;
  const segment = repositorySegment(repository);
  const isFile = key !== '' && !key.endsWith('/');
  const url = dataUrl(dataProxyUrl, repository, key);
  const s3 = `s3://${account_id}/${segment}/${key}`;
  const fromFirst = (recipe: (url: string, name: string) => Recipe[]) =>
    keysInFolder
      .map((each) => recipe(dataUrl(dataProxyUrl, repository, each), each))
      .find(({ length }) => length > 0) ?? [];
  if (!isFile) {
    const prefix = `${segment}/${key}`;
    return [
      ...(isIcechunk ? [icechunkFor(dataProxyUrl, account_id, prefix, 'anonymous')] : []),
      {
        tool: 'AWS CLI',
        commands: shell`aws --endpoint-url ${dataProxyUrl} --no-sign-request s3 ls --recursive ${s3}\naws --endpoint-url ${dataProxyUrl} --no-sign-request s3 sync ${s3} ${`./${segment}`}`,
      },
      {
        tool: 'Python',
        language: 'python',
        commands: listingInPython(
          `import boto3\nfrom botocore import UNSIGNED\nfrom botocore.config import Config\n\ns3 = boto3.client("s3", endpoint_url=${quoted(dataProxyUrl)}, region_name="us-east-1",\n                  config=Config(signature_version=UNSIGNED))`,
          account_id,
          prefix,
        ),
      },
      ...(hasParquetBelow && isPlainPath(s3)
        ? [
            {
              tool: 'DuckDB',
              commands: `${duckDbSecret({ dataUrl: dataProxyUrl, accountId: account_id, credentials: '' })}SELECT * FROM read_parquet(${sqlText(`${s3}**/*.parquet`)}, union_by_name = true) LIMIT 10;`,
            },
          ]
        : fromFirst(duckDbFor)),
      ...zarrFor(url, keysInFolder),
      {
        tool: 'rclone',
        commands: shell`rclone copy --s3-provider Other --s3-endpoint ${dataProxyUrl} ${`:s3:${account_id}/${prefix}`} ${`./${segment}`}`,
      },
      {
        tool: 'curl',
        commands: shell`# lists the files, a thousand at a time\ncurl --get --data list-type=2 --data ${shellUrl(`prefix=${encodeURIComponent(prefix)}`)} ${`${dataProxyUrl}/${account_id}`}`,
      },
      ...fromFirst(rFor),
    ];
  }
  return [
    { tool: 'curl', commands: shell`curl --output ${shellName(key)} ${shellUrl(url)}` },
    {
      tool: 'AWS CLI',
      commands: shell`aws --endpoint-url ${dataProxyUrl} --no-sign-request s3 cp ${s3} ${shellName(key)}`,
    },
    { tool: 'Python', language: 'python', commands: pythonFor(url, key, separator) },
    ...duckDbFor(url, key),
    ...rFor(url, key, separator),
    ...qgisFor(key, shell`qgis ${shellUrl(`/vsicurl/${url}`)}`),
  ];
}

const vectorNames = /\.(geojson|gpkg|fgb)$/i;
const rasterNames = /\.(tif|tiff)$/i;
const arrayNames = /\.(nc|nc4|h5|hdf5)$/i;

/** Returns the command if QGIS opens such a file. QGIS reads only the parts that it shows. */
export function qgisFor(key: string, commands: string): Recipe[] {
  return vectorNames.test(key) || rasterNames.test(key) ? [{ tool: 'QGIS', commands }] : [];
}

/** Returns the commands that open a Zarr group or array. */
function zarrFor(url: string, keysInFolder: readonly string[]): Recipe[] {
  const names = new Set(keysInFolder.map((key) => key.split('/').at(-1)));
  if (!zarrRoots.some((name) => names.has(name))) return [];
  return [
    {
      tool: 'Zarr',
      language: 'python',
      commands: `# needs the packages zarr, fsspec, and aiohttp\nimport zarr\n\ndata = zarr.open(${quoted(url)}, mode="r")\nprint(data.info)`,
    },
  ];
}

const icechunkTool = 'Icechunk';

/** Returns the commands that open an Icechunk store. */
export function icechunkFor(
  dataProxyUrl: string,
  accountId: string,
  prefix: string,
  credentials: 'anonymous' | 'from_env',
): Recipe {
  const storage = [
    `bucket=${quoted(accountId)}, prefix=${quoted(prefix.replace(/\/$/, ''))}`,
    `endpoint_url=${quoted(dataProxyUrl)}, region="us-east-1", force_path_style=True`,
    `${new URL(dataProxyUrl).protocol === 'http:' ? 'allow_http=True, ' : ''}${credentials}=True`,
  ];
  return {
    tool: icechunkTool,
    language: 'python',
    commands: `# needs the packages icechunk and zarr\nimport icechunk\nimport zarr\n\nstorage = icechunk.s3_storage(\n    ${storage.join(',\n    ')})\nsession = icechunk.Repository.open(storage).readonly_session("main")\ndata = zarr.open(session.store, mode="r")\nprint(data.info)`,
  };
}

function pythonFor(url: string, fileName: string, separator: string | undefined): string {
  if (/\.(csv|tsv)(\.gz)?$/i.test(fileName)) {
    const parted = /\.tsv/i.test(fileName) ? '\t' : separator;
    const note = parted === undefined ? '# finds the separator of two columns or more by itself\n' : '';
    return `import pandas\n\n${note}table = pandas.read_csv(${quoted(url)}${separatorOfPandas(parted)})\nprint(table.head())`;
  }
  if (/\.geoparquet$/i.test(fileName))
    return `import geopandas\n\nshapes = geopandas.read_parquet(${quoted(url)})\nprint(shapes.head())`;
  if (/\.parquet$/i.test(fileName))
    return `import pandas\n\ntable = pandas.read_parquet(${quoted(url)})\nprint(table.head())`;
  if (rasterNames.test(fileName))
    return `import rioxarray\n\nraster = rioxarray.open_rasterio(${quoted(url)})\nprint(raster)`;
  if (arrayNames.test(fileName))
    return `# needs the packages fsspec, aiohttp, h5netcdf, and h5py\nimport fsspec\nimport xarray\n\ndata = xarray.open_dataset(fsspec.open(${quoted(url)}).open(), engine="h5netcdf")\nprint(data)`;
  if (vectorNames.test(fileName))
    return `import geopandas\n\nshapes = geopandas.read_file(${quoted(url)})\nprint(shapes.head())`;
  return `from urllib.request import urlretrieve\n\nurlretrieve(${quoted(url)}, ${quoted(localName(fileName))})`;
}

function duckDbFor(url: string, fileName: string): Recipe[] {
  if (/\.geoparquet$/i.test(fileName))
    return [{ tool: 'DuckDB', commands: `SELECT * FROM read_parquet(${sqlText(url)}) LIMIT 10;` }];
  const isTable = /\.(csv|tsv|parquet|json|ndjson)(\.gz)?$/i.test(fileName) && !/(^|\/)zarr\.json$/.test(fileName);
  if (!isTable) return [];
  return [{ tool: 'DuckDB', commands: `SELECT * FROM ${sqlText(url)} LIMIT 10;` }];
}

/**
 * Returns the arguments with which pandas reads the separator. Only the slower of its two parsers can detect a
 * separator.
 */
function separatorOfPandas(separator: string | undefined): string {
  if (separator === undefined) return ', sep=None, engine="python"';
  return separator === ',' ? '' : `, sep=${quoted(separator)}`;
}

function rFor(url: string, fileName: string, separator?: string): Recipe[] {
  const inR = (commands: string): Recipe[] => [{ tool: 'R', commands }];
  if (/\.(geo)?parquet$/i.test(fileName))
    return inR(`# needs the package arrow\ntable <- arrow::read_parquet(${quoted(url)})\nhead(table)`);
  if (rasterNames.test(fileName))
    return inR(`# needs the package terra\nraster <- terra::rast(${quoted(`/vsicurl/${url}`)})\nprint(raster)`);
  if (vectorNames.test(fileName))
    return inR(`# needs the package sf\nshapes <- sf::st_read(${quoted(`/vsicurl/${url}`)})\nhead(shapes)`);
  if (!/\.csv(\.gz)?$/i.test(fileName)) return [];
  const packages = /\.gz$/i.test(fileName) ? 'the packages data.table and R.utils' : 'the package data.table';
  const read =
    separator === undefined
      ? `# finds the separator by itself; needs ${packages}\ntable <- data.table::fread(${quoted(url)})`
      : `table <- read.csv(${quoted(url)}${separator === ',' ? '' : `, sep = ${quoted(separator)}`})`;
  return inR(`${read}\nhead(table)`);
}

interface UseItProps {
  recipes: readonly Recipe[];
  /** The name of the notebook with the commands, without its extension. */
  name: string;
  /** True when the commands in the notebook need credentials. */
  isSigned?: boolean;
}

/** Shows the commands of one tool at a time. The tabs are radio buttons, so they work without scripts. */
export function UseIt({ recipes, name, isSigned = false }: UseItProps) {
  const notebook = notebookUrl(recipes);
  return (
    <section class="block" id="use">
      <h2>Use this data from</h2>
      {isSigned ? (
        <p class="soft">
          The tools need credentials that may read this repository. Create an API key in the{' '}
          <a href="/-/console">console</a>. It shows the settings for each tool.
        </p>
      ) : (
        <p class="soft">No account and no extra software required.</p>
      )}
      {recipes.some(({ tool }) => tool === icechunkTool) && (
        <p>This page cannot show the arrays of an Icechunk store, so open the store with Python.</p>
      )}
      <fieldset class="tool-tabs">
        <legend class="hidden">Tool</legend>
        {recipes.map(({ tool, commands }, index) => (
          <Fragment key={tool}>
            <input type="radio" name="tool" id={`tool-${index}`} defaultChecked={index === 0} />
            <label for={`tool-${index}`}>{tool}</label>
            <pre class="commands" tabindex={0}>
              <code>{commands}</code>
            </pre>
          </Fragment>
        ))}
      </fieldset>
      {notebook !== undefined && (
        <p>
          <a href={notebook} download={`${name}.ipynb`}>
            Download a notebook
          </a>{' '}
          <span class="soft">with the Python commands.</span>
        </p>
      )}
    </section>
  );
}
